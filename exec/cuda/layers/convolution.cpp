// SPDX-License-Identifier: MIT
// cuDNN computes the passes, in one with a bias, a ReLU or sums where it can.
#include <algorithm>
#include <bit>
#include <optional>

#include "exec/cuda/kernels/bias.hpp"
#include "exec/cuda/layers/convolution/pass.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/toolbox.hpp"

namespace paceline::cuda {
namespace {

/// The largest power of two up to 16 that divides every address.
int alignment_of(std::initializer_list<const void*> addresses) {
  std::uintptr_t bits = 16;
  for (const void* address : addresses) bits |= reinterpret_cast<std::uintptr_t>(address);
  return 1 << std::countr_zero(bits);
}

class Convolution final : public Operation {
 public:
  Convolution(const Toolbox& tools, const Wiring& wiring)
      : wiring_(wiring),
        input_(wiring.inputs.front()),
        grid_(lay_channels(wiring.output.element, wiring.output.layout == Layout::nhwc,
                           wiring.output.batch, wiring.output.shape.channels,
                           wiring.output.shape.height * wiring.output.shape.width)),
        forward_(tools, problem(Propagation::forward), wiring.layer->name) {
    if (!wiring.gradient) return;  // it never goes backward
    weight_gradient_.emplace(tools, problem(Propagation::weight_gradient), wiring.layer->name);
    if (input_.gradient) {
      data_gradient_.emplace(tools, problem(Propagation::data_gradient), wiring.layer->name);
    }
  }

  std::size_t scratch_bytes() const override {
    std::size_t most = forward_.workspace_bytes();
    if (weight_gradient_) most = std::max(most, weight_gradient_->workspace_bytes());
    if (data_gradient_) most = std::max(most, data_gradient_->workspace_bytes());
    if (wiring_.layer->bias) most = std::max(most, bias_scratch_bytes(grid_));
    return most;
  }
  void lend(void* scratch, std::size_t /*bytes*/) override { scratch_ = scratch; }

  void prepare() override {
    forward_.prepare(of_forward(), scratch_);
    if (wiring_.sums) wiring_.sums->written = forward_.sums();
    if (weight_gradient_) weight_gradient_->prepare(of_weight_gradient(), scratch_);
    if (data_gradient_) data_gradient_->prepare(of_data_gradient(), scratch_);
  }

  void forward(cudaStream_t /*stream*/) override { forward_.run(of_forward(), scratch_); }

  void backward(cudaStream_t stream) override {
    BiasBackward pass;
    pass.gradient = wiring_.gradient.data;
    if (wiring_.relu) pass.output = wiring_.output.data;
    if (wiring_.layer->bias) pass.bias_gradient = wiring_.parameters.vector_gradients;
    pass.scratch = static_cast<float*>(scratch_);
    bias_backward(grid_, wiring_.output.element, pass, stream);
    weight_gradient_->run(of_weight_gradient(), scratch_);
    if (data_gradient_) data_gradient_->run(of_data_gradient(), scratch_);
  }

  std::string algorithms() const override {
    std::string text = "forward: " + forward_.text();
    if (weight_gradient_) text += "; weight gradient: " + weight_gradient_->text();
    if (data_gradient_) text += "; data gradient: " + data_gradient_->text();
    return text;
  }

 private:
  ConvolutionProblem problem(Propagation pass) const {
    const Layer& layer = *wiring_.layer;
    ConvolutionProblem problem;
    problem.pass = pass;
    problem.precision = wiring_.precision;
    problem.layout = wiring_.output.layout;
    problem.batch = wiring_.output.batch;
    problem.image = layer.in;
    problem.map = wiring_.output.shape;
    problem.kernel_height = layer.kernel_height;
    problem.kernel_width = layer.kernel_width;
    problem.stride = layer.stride;
    problem.padding = {layer.pad_top, layer.pad_bottom, layer.pad_left, layer.pad_right};
    problem.adds = pass == Propagation::data_gradient && input_.adds;
    problem.bias = pass == Propagation::forward && layer.bias;
    problem.relu = pass == Propagation::forward && wiring_.relu;
    problem.sums = pass == Propagation::forward && wiring_.sums != nullptr;
    problem.alignment = alignment_of({input_.value.data, input_.gradient.data, wiring_.output.data,
                                      wiring_.gradient.data, wiring_.parameters.matrix,
                                      wiring_.parameters.matrix_gradient});
    return problem;
  }

  Operands of_forward() const {
    return {input_.value.data, weights(), wiring_.output.data, wiring_.parameters.vectors,
            wiring_.sums ? wiring_.sums->data() : nullptr};
  }
  Operands of_weight_gradient() const {
    return {input_.value.data, wiring_.parameters.matrix_gradient, wiring_.gradient.data};
  }
  Operands of_data_gradient() const {
    return {input_.gradient.data, weights(), wiring_.gradient.data};
  }
  /// cuDNN takes all operands as mutable pointers, but only reads the weights.
  void* weights() const { return const_cast<void*>(wiring_.parameters.matrix); }

  const Wiring wiring_;
  const Input input_;
  const ChannelGrid grid_;  ///< of the output
  ConvolutionPass forward_;
  std::optional<ConvolutionPass> weight_gradient_;
  std::optional<ConvolutionPass> data_gradient_;
  void* scratch_ = nullptr;
};

}  // namespace

std::unique_ptr<Operation> make_convolution(Toolbox& tools, const Wiring& wiring) {
  return std::make_unique<Convolution>(tools, wiring);
}

}  // namespace paceline::cuda
