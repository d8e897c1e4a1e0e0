// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/pooling.hpp"

#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {
namespace {

class Pooling final : public Operation {
 public:
  explicit Pooling(const Wiring& wiring)
      : input_(wiring.inputs.front()), output_(wiring.output), gradient_(wiring.gradient) {
    const Layer& layer = *wiring.layer;
    shape_.element = output_.element;
    shape_.channels_last = output_.layout == Layout::nhwc;
    shape_.maximum = layer.kind == LayerKind::max_pool;
    shape_.items = output_.batch;
    shape_.channels = output_.shape.channels;
    shape_.in_height = layer.in.height;
    shape_.in_width = layer.in.width;
    shape_.out_height = output_.shape.height;
    shape_.out_width = output_.shape.width;
    shape_.kernel_height = layer.kernel_height;
    shape_.kernel_width = layer.kernel_width;
    shape_.stride = layer.stride;
    shape_.pad_top = layer.pad_top;
    shape_.pad_left = layer.pad_left;
    if (!shape_.maximum) shape_.own_rows = wiring.lengths;
    if (shape_.maximum) places_ = DeviceMemory(static_cast<std::size_t>(shape_.places_bytes()));
  }

  void forward(cudaStream_t stream) override {
    pool_forward(shape_, input_.value.data, output_.data, places_.data(), stream);
  }
  void backward(cudaStream_t stream) override {
    if (!input_.gradient) return;
    pool_backward(shape_, gradient_.data, places_.data(), input_.gradient.data, input_.adds,
                  stream);
  }

 private:
  Input input_;
  Tensor output_, gradient_;
  PoolingShape shape_;
  DeviceMemory places_;
};

}  // namespace

std::unique_ptr<Operation> make_pooling(const Wiring& wiring) {
  return std::make_unique<Pooling>(wiring);
}

}  // namespace paceline::cuda
