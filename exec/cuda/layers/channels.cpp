// SPDX-License-Identifier: MIT
// Concat and pad.
#include "exec/cuda/kernels/channels.hpp"

#include "exec/cuda/layers/operations.hpp"

namespace paceline::cuda {
namespace {

class Concat final : public Operation {
 public:
  explicit Concat(const Wiring& wiring)
      : inputs_(wiring.inputs), output_(wiring.output), gradient_(wiring.gradient) {
    const std::int64_t pixels = std::int64_t{output_.shape.height} * output_.shape.width;
    // A run is a pixel's channels (nhwc) or an item's planes (nchw).
    const bool last = output_.layout == Layout::nhwc;
    rows_ = output_.batch * (last ? pixels : 1);
    run_ = last ? 1 : pixels;
  }

  void forward(cudaStream_t stream) override {
    std::int64_t at = 0;
    for (const Input& input : inputs_) {
      const std::int64_t width = input.value.shape.channels * run_;
      copy_runs(input.value.data, 0, output_.data, at, {rows_, width, width, pitch()}, false,
                output_.element, stream);
      at += width;
    }
  }

  void backward(cudaStream_t stream) override {
    std::int64_t at = 0;
    for (const Input& input : inputs_) {
      const std::int64_t width = input.value.shape.channels * run_;
      if (input.gradient) {
        copy_runs(gradient_.data, at, input.gradient.data, 0, {rows_, width, pitch(), width},
                  input.adds, output_.element, stream);
      }
      at += width;
    }
  }

 private:
  std::int64_t pitch() const { return output_.shape.channels * run_; }

  std::vector<Input> inputs_;
  Tensor output_, gradient_;
  std::int64_t rows_ = 0;
  std::int64_t run_ = 1;  ///< numbers per channel in a run
};

class Pad final : public Operation {
 public:
  explicit Pad(const Wiring& wiring)
      : input_(wiring.inputs.front()), output_(wiring.output), gradient_(wiring.gradient) {
    const Shape in = input_.value.shape, out = output_.shape;
    shape_.element = output_.element;
    shape_.channels_last = output_.layout == Layout::nhwc;
    shape_.items = output_.batch;
    shape_.in_channels = in.channels;
    shape_.out_channels = out.channels;
    shape_.before = (out.channels - in.channels) / 2;
    shape_.in_height = in.height;
    shape_.in_width = in.width;
    shape_.out_height = out.height;
    shape_.out_width = out.width;
    shape_.stride = wiring.layer->stride;
  }

  void forward(cudaStream_t stream) override {
    pad_forward(shape_, input_.value.data, output_.data, stream);
  }
  void backward(cudaStream_t stream) override {
    if (!input_.gradient) return;
    pad_backward(shape_, gradient_.data, input_.gradient.data, input_.adds, stream);
  }

 private:
  Input input_;
  Tensor output_, gradient_;
  PadShape shape_;
};

}  // namespace

std::unique_ptr<Operation> make_concat(const Wiring& wiring) {
  return std::make_unique<Concat>(wiring);
}

std::unique_ptr<Operation> make_pad(const Wiring& wiring) {
  return std::make_unique<Pad>(wiring);
}

}  // namespace paceline::cuda
