// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/batch_norm.hpp"

#include "exec/cuda/layers/cleared.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {
namespace {

class BatchNorm final : public Operation {
 public:
  explicit BatchNorm(const Wiring& wiring) : sums_(wiring.sums) {
    const Tensor& x = wiring.inputs.front().value;
    const bool adds = wiring.inputs.size() > 1;
    const int channels = x.shape.channels;
    shape_ = {x.element,
              lay_channels(x.element, x.layout == Layout::nhwc, x.batch, channels,
                           x.shape.height * x.shape.width, true),
              wiring.relu};

    constexpr int kVectors = 4;  // arrays in BatchNormStatistics
    const auto size = static_cast<std::size_t>(channels);
    saved_ = DeviceMemory(kVectors * size * sizeof(float));
    auto* saved = saved_.as<float>();
    statistics_ = {saved, saved + size, saved + 2 * size, saved + 3 * size};
    arrivals_ = cleared(shape_.arrivals_bytes());
    if (adds && wiring.relu) mask_ = DeviceMemory(static_cast<std::size_t>(shape_.mask_bytes()));

    const Parameters& parameters = wiring.parameters;
    const bool scales = wiring.layer->scale;
    const float* scale = scales ? parameters.vectors : nullptr;
    const float* shift = parameters.vectors + (scales ? channels : 0);
    float* scale_gradient = scales ? parameters.vector_gradients : nullptr;
    float* shift_gradient = parameters.vector_gradients + (scales ? channels : 0);
    auto* mask = mask_.as<std::uint8_t>();
    forward_ = {x.data, nullptr, wiring.output.data, mask, scale, shift};
    backward_ = {x.data, wiring.gradient.data, mask, scale, shift, scale_gradient, shift_gradient};
    backward_.input_gradient = wiring.inputs.front().gradient.data;
    backward_.input_adds = wiring.inputs.front().adds;
    if (adds) {
      forward_.added = wiring.inputs.back().value.data;
      backward_.added_gradient = wiring.inputs.back().gradient.data;
      backward_.added_adds = wiring.inputs.back().adds;
    }
  }

  std::size_t scratch_bytes() const override { return shape_.scratch_bytes(); }
  void lend(void* scratch, std::size_t /*bytes*/) override {
    scratch_ = {scratch, arrivals_.as<unsigned>()};
  }

  void forward(cudaStream_t stream) override {
    const bool summed = sums_ != nullptr && sums_->written;
    forward_.sums = summed ? sums_->data() : nullptr;
    if (!summed) batch_norm_statistics(shape_, forward_.input, statistics_, scratch_, stream);
    batch_norm_forward(shape_, forward_, statistics_, stream);
  }
  void backward(cudaStream_t stream) override {
    batch_norm_backward(shape_, backward_, statistics_, scratch_, stream);
  }

 private:
  BatchNormShape shape_;
  DeviceMemory saved_, arrivals_, mask_;
  BatchNormStatistics statistics_;
  BatchNormForward forward_;
  BatchNormBackward backward_;
  const std::shared_ptr<const ChannelSums> sums_;
  BatchNormScratch scratch_;
};

}  // namespace

std::unique_ptr<Operation> make_batch_norm(const Wiring& wiring) {
  return std::make_unique<BatchNorm>(wiring);
}

}  // namespace paceline::cuda
