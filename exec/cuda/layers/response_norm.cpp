// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/response_norm.hpp"

#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {
namespace {

class ResponseNorm final : public Operation {
 public:
  explicit ResponseNorm(const Wiring& wiring)
      : input_(wiring.inputs.front()), output_(wiring.output), gradient_(wiring.gradient) {
    const Tensor& x = input_.value;
    shape_ = {x.element,
              x.layout == Layout::nhwc,
              x.batch,
              x.shape.channels,
              x.shape.height * x.shape.width,
              wiring.layer->norm_size,
              static_cast<float>(wiring.layer->norm_alpha),
              static_cast<float>(wiring.layer->norm_beta)};
    scales_ = DeviceMemory(static_cast<std::size_t>(x.elements()) * sizeof(float));
  }

  void forward(cudaStream_t stream) override {
    response_norm_forward(shape_, input_.value.data, output_.data, scales_.as<float>(), stream);
  }
  void backward(cudaStream_t stream) override {
    if (!input_.gradient) return;
    response_norm_backward(shape_, input_.value.data, gradient_.data, scales_.as<float>(),
                           input_.gradient.data, input_.adds, stream);
  }

 private:
  Input input_;
  Tensor output_, gradient_;
  ResponseNormShape shape_;
  DeviceMemory scales_;
};

}  // namespace

std::unique_ptr<Operation> make_response_norm(const Wiring& wiring) {
  return std::make_unique<ResponseNorm>(wiring);
}

}  // namespace paceline::cuda
