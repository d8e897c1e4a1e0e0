// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/pooling.hpp"

#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/pooling_shape.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {
namespace {

class Pooling final : public Operation {
 public:
  explicit Pooling(const Wiring& wiring)
      : input_(wiring.inputs.front()), output_(wiring.output), gradient_(wiring.gradient) {
    shape_ = pooling_shape(*wiring.layer, output_);
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
