// SPDX-License-Identifier: MIT
// Tensors are row-major with one row per item, which cuBLAS reads as columns: with x [in x batch],
// w [in x out] and y [out x batch], y = w' x, dx = w dy and dw = x dy'. An image as input is
// flattened in memory order, and the weights' columns are packed in the same order.
#include <algorithm>
#include <optional>

#include "exec/cuda/kernels/bias.hpp"
#include "exec/cuda/layers/matrix_product.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/toolbox.hpp"

namespace paceline::cuda {
namespace {

class FullyConnected final : public Operation {
 public:
  FullyConnected(const Toolbox& tools, const Wiring& wiring)
      : wiring_(wiring),
        grid_(lay_channels(wiring.output.element, true, wiring.output.batch,
                           wiring.output.shape.channels, 1)),
        forward_(tools, forward_problem(), forward_operands(), wiring.layer->name) {
    if (!wiring.gradient) return;  // it never goes backward
    weight_gradient_.emplace(tools, problem(inputs(), outputs(), wiring.output.batch, false, true),
                             ProductOperands{input().value.data, wiring.gradient.data,
                                             wiring.parameters.matrix_gradient, nullptr},
                             wiring.layer->name);
    if (!input().gradient) return;
    ProductProblem data = problem(inputs(), wiring.output.batch, outputs(), false, false);
    data.adds = input().adds;
    data_gradient_.emplace(tools, data,
                           ProductOperands{wiring.parameters.matrix, wiring.gradient.data,
                                           input().gradient.data, nullptr},
                           wiring.layer->name);
  }

  std::size_t scratch_bytes() const override {
    std::size_t most = forward_.workspace_bytes();
    if (weight_gradient_) most = std::max(most, weight_gradient_->workspace_bytes());
    if (data_gradient_) most = std::max(most, data_gradient_->workspace_bytes());
    if (bias() != nullptr) most = std::max(most, bias_scratch_bytes(grid_));
    return most;
  }
  void lend(void* scratch, std::size_t /*bytes*/) override { scratch_ = scratch; }

  void prepare() override {
    forward_.prepare(scratch_);
    if (weight_gradient_) weight_gradient_->prepare(scratch_);
    if (data_gradient_) data_gradient_->prepare(scratch_);
  }

  void forward(cudaStream_t stream) override {
    forward_.run(scratch_);
    if (fuses() || (bias() == nullptr && !wiring_.relu)) return;
    add_bias(grid_, wiring_.output.element, wiring_.output.data, bias(), wiring_.relu, stream);
  }

  void backward(cudaStream_t stream) override {
    BiasBackward pass;
    pass.gradient = wiring_.gradient.data;
    if (wiring_.relu) pass.output = wiring_.output.data;
    if (bias() != nullptr) pass.bias_gradient = wiring_.parameters.vector_gradients;
    pass.scratch = static_cast<float*>(scratch_);
    bias_backward(grid_, wiring_.output.element, pass, stream);
    weight_gradient_->run(scratch_);
    if (data_gradient_) data_gradient_->run(scratch_);
  }

  std::string algorithms() const override {
    std::string text = "forward: " + forward_.text();
    if (weight_gradient_) text += "; weight gradient: " + weight_gradient_->text();
    if (data_gradient_) text += "; data gradient: " + data_gradient_->text();
    return text;
  }

 private:
  const Input& input() const { return wiring_.inputs.front(); }
  std::int64_t inputs() const { return input().value.shape.elements(); }
  std::int64_t outputs() const { return wiring_.output.shape.elements(); }
  const float* bias() const { return wiring_.layer->bias ? wiring_.parameters.vectors : nullptr; }

  /// Whether cuBLAS applies the bias and the ReLU: it supports fp32 biases only with fp32 outputs,
  /// and requires them to be aligned to 16 bytes.
  bool fuses() const {
    return wiring_.output.element == Element::fp32 &&
           reinterpret_cast<std::uintptr_t>(bias()) % 16 == 0;
  }

  ProductProblem problem(std::int64_t rows, std::int64_t columns, std::int64_t inner,
                         bool transposes_a, bool transposes_b) const {
    ProductProblem problem;
    problem.precision = wiring_.precision;
    problem.rows = rows;
    problem.columns = columns;
    problem.inner = inner;
    problem.transposes_a = transposes_a;
    problem.transposes_b = transposes_b;
    return problem;
  }
  ProductProblem forward_problem() const {
    ProductProblem forward = problem(outputs(), wiring_.output.batch, inputs(), true, false);
    forward.bias = fuses() && bias() != nullptr;
    forward.relu = fuses() && wiring_.relu;
    return forward;
  }
  ProductOperands forward_operands() const {
    return {wiring_.parameters.matrix, input().value.data, wiring_.output.data, bias()};
  }

  const Wiring wiring_;
  const ChannelGrid grid_;  ///< of the output
  MatrixProduct forward_;
  std::optional<MatrixProduct> weight_gradient_, data_gradient_;  ///< none: it has no gradient
  void* scratch_ = nullptr;
};

}  // namespace

std::unique_ptr<Operation> make_fully_connected(Toolbox& tools, const Wiring& wiring) {
  return std::make_unique<FullyConnected>(tools, wiring);
}

}  // namespace paceline::cuda
