// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/batch_norm.hpp"

#include <optional>

#include "exec/cuda/layers/cleared.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/pooling_shape.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {
namespace {

/// The vectors of one batch norm: the scale, if it has one, and then the shift.
struct Vectors {
  const float *scale, *shift;
  float *scale_gradient, *shift_gradient;

  Vectors(const Layer& layer, const Parameters& parameters)
      : scale(layer.scale ? parameters.vectors : nullptr),
        shift(parameters.vectors + (layer.scale ? layer.in.channels : 0)),
        scale_gradient(layer.scale ? parameters.vector_gradients : nullptr),
        shift_gradient(parameters.vector_gradients + (layer.scale ? layer.in.channels : 0)) {}
};

/// The statistics of one batch norm, kept from forward to backward.
class Statistics {
 public:
  explicit Statistics(int channels)
      : memory_(kVectors * static_cast<std::size_t>(channels) * sizeof(float)) {
    auto* at = memory_.as<float>();
    const auto size = static_cast<std::size_t>(channels);
    pointers_ = {at, at + size, at + 2 * size, at + 3 * size};
  }
  const BatchNormStatistics& get() const { return pointers_; }

 private:
  static constexpr int kVectors = 4;  // arrays in BatchNormStatistics
  DeviceMemory memory_;
  BatchNormStatistics pointers_;
};

class BatchNorm final : public Operation {
 public:
  explicit BatchNorm(const Wiring& wiring)
      : statistics_(wiring.inputs.front().value.shape.channels),
        sums_(wiring.sums),
        shortcut_sums_(wiring.shortcut.sums) {
    const Tensor& x = wiring.inputs.front().value;
    const bool adds = wiring.inputs.size() > 1;
    const int channels = x.shape.channels;
    shape_ = shape_of(wiring);
    arrivals_ = cleared(shape_.arrivals_bytes());
    if (wiring.mask != nullptr) mask_ = wiring.mask;
    if (adds && wiring.relu) *mask_ = DeviceMemory(static_cast<std::size_t>(shape_.mask_bytes()));

    const Vectors vectors(*wiring.layer, wiring.parameters);
    auto* mask = mask_->as<std::uint8_t>();
    forward_ = {x.data, nullptr, wiring.output.data, mask, vectors.scale, vectors.shift};
    backward_ = {x.data,
                 wiring.gradient.data,
                 mask,
                 vectors.scale,
                 vectors.shift,
                 vectors.scale_gradient,
                 vectors.shift_gradient};
    backward_.input_gradient = wiring.inputs.front().gradient.data;
    backward_.input_adds = wiring.inputs.front().adds;
    if (adds) {
      forward_.added = wiring.inputs.back().value.data;
      backward_.added_gradient = wiring.inputs.back().gradient.data;
      backward_.added_adds = wiring.inputs.back().adds;
    }
    if (wiring.kept_gradient.gradient) {
      kept_mask_ = wiring.kept_gradient.mask;
      backward_.kept_gradient = wiring.kept_gradient.gradient.data;
      backward_.kept_pixels = {wiring.kept_gradient.stride, x.shape.height, x.shape.width};
    }
    if (wiring.pool != nullptr) join_pool(pooling_shape(*wiring.pool, wiring.output));
    if (wiring.shortcut.layer != nullptr) join_shortcut(wiring.shortcut, channels);
  }

  std::size_t scratch_bytes() const override { return shape_.scratch_bytes(); }
  void lend(void* scratch, std::size_t /*bytes*/) override {
    scratch_ = {scratch, arrivals_.as<unsigned>()};
  }

  void forward(cudaStream_t stream) override {
    forward_.sums = sums_or_statistics(sums_, forward_.input, statistics_, stream);
    if (shortcut_) {
      forward_.shortcut.sums =
          sums_or_statistics(shortcut_sums_, forward_.added, *shortcut_, stream);
    }
    batch_norm_forward(shape_, forward_, statistics_.get(), stream);
  }
  void backward(cudaStream_t stream) override {
    if (kept_mask_ != nullptr) backward_.kept_mask = kept_mask_->as<std::uint8_t>();
    batch_norm_backward(shape_, backward_, statistics_.get(), scratch_, stream);
  }

 private:
  static BatchNormShape shape_of(const Wiring& wiring) {
    const Tensor& x = wiring.inputs.front().value;
    const Shape out = wiring.output.shape;
    BatchNormShape shape{x.element,
                         lay_channels(x.element, x.layout == Layout::nhwc, x.batch,
                                      x.shape.channels, x.shape.height * x.shape.width, true),
                         wiring.relu};
    if (wiring.layer->stride > 1) {
      shape.keep({wiring.layer->stride, x.shape.height, x.shape.width});
    }
    const bool by_pixels = wiring.pool != nullptr || wiring.kept_gradient.gradient;
    if (by_pixels) shape.write_other(out.height * out.width);
    return shape;
  }

  void join_pool(const PoolingShape& pool) {
    if (pool.maximum) places_ = DeviceMemory(static_cast<std::size_t>(pool.places_bytes()));
    forward_.pool = backward_.pool = {pool, places_.as<std::uint8_t>()};
  }

  void join_shortcut(const ShortcutLayer& shortcut, int channels) {
    shortcut_.emplace(channels);
    const Vectors vectors(*shortcut.layer, shortcut.parameters);
    forward_.shortcut = {vectors.scale,          vectors.shift,          nullptr,
                         vectors.scale_gradient, vectors.shift_gradient, shortcut_->get()};
    backward_.shortcut = forward_.shortcut;
    backward_.added = forward_.added;
  }

  /// The sums of an input that a convolution has written; if there are none, queues its statistics.
  const float* sums_or_statistics(const std::shared_ptr<const ChannelSums>& sums, const void* input,
                                  const Statistics& statistics, cudaStream_t stream) const {
    if (sums != nullptr && sums->written) return sums->data();
    batch_norm_statistics(shape_, input, statistics.get(), scratch_, stream);
    return nullptr;
  }

  BatchNormShape shape_;
  DeviceMemory arrivals_, places_;
  std::shared_ptr<DeviceMemory> mask_ = std::make_shared<DeviceMemory>();
  std::shared_ptr<const DeviceMemory> kept_mask_;  ///< of the group that adds the output
  Statistics statistics_;
  std::optional<Statistics> shortcut_;
  BatchNormForward forward_;
  BatchNormBackward backward_;
  const std::shared_ptr<const ChannelSums> sums_, shortcut_sums_;
  BatchNormScratch scratch_;
};

}  // namespace

std::unique_ptr<Operation> make_batch_norm(const Wiring& wiring) {
  return std::make_unique<BatchNorm>(wiring);
}

}  // namespace paceline::cuda
