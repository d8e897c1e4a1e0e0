// SPDX-License-Identifier: MIT
#include <algorithm>

#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

constexpr float kEpsilon = 1e-5f;  // of oneDNN's examples and of PyTorch; the minimum of cuDNN
constexpr auto kFlags = dnnl::normalization_flags::use_scale_shift;

class BatchNorm final : public LayerOperation {
 public:
  BatchNorm(Workbench& bench, const Wiring& wiring)
      : bench_(bench),
        input_(wiring.inputs.front()),
        channels_(wiring.layer.in.channels),
        has_scale_(wiring.layer.scale) {
    const dnnl::memory::desc x = tensor_of(wiring.batch, wiring.layer.in);
    const dnnl::batch_normalization_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, x, kEpsilon, kFlags}, bench.attributes(),
        bench.engine());
    const dnnl::batch_normalization_backward::primitive_desc backward(
        {dnnl::prop_kind::backward, x, x, kEpsilon, kFlags}, bench.attributes(), bench.engine(),
        forward);
    // The flat layout holds scales, then shifts. Without scales it holds the shifts alone; a copy
    // then holds scales of 1.
    const dnnl::memory::desc pair({2, channels_}, dnnl::memory::data_type::f32,
                                  dnnl::memory::format_tag::nc);
    if (has_scale_) {
      scale_shift_ = dnnl::memory(pair, bench.engine(), DNNL_MEMORY_NONE);
      scale_shift_gradient_ = dnnl::memory(pair, bench.engine(), DNNL_MEMORY_NONE);
    } else {
      scale_shift_ = dnnl::memory(pair, bench.engine());
      scale_shift_gradient_ = dnnl::memory(pair, bench.engine());
      std::fill_n(floats(scale_shift_), channels_, 1.0f);
    }
    const dnnl::memory mean(forward.mean_desc(), bench.engine());
    const dnnl::memory variance(forward.variance_desc(), bench.engine());
    forward_ = dnnl::batch_normalization_forward(forward);
    forward_arguments_ = {{DNNL_ARG_SRC, input_.value},
                          {DNNL_ARG_DST, wiring.value},
                          {DNNL_ARG_MEAN, mean},
                          {DNNL_ARG_VARIANCE, variance},
                          {DNNL_ARG_SCALE_SHIFT, scale_shift_},
                          {DNNL_ARG_SCRATCHPAD, bench.scratchpad(forward.scratchpad_desc())}};
    // oneDNN requires an array for the inputs' gradient even if no layer reads it.
    const dnnl::memory passed = input_.gradient ? input_.landing : dnnl::memory(x, bench.engine());
    backward_ = dnnl::batch_normalization_backward(backward);
    backward_arguments_ = {{DNNL_ARG_SRC, input_.value},
                           {DNNL_ARG_MEAN, mean},
                           {DNNL_ARG_VARIANCE, variance},
                           {DNNL_ARG_SCALE_SHIFT, scale_shift_},
                           {DNNL_ARG_DIFF_DST, wiring.gradient},
                           {DNNL_ARG_DIFF_SRC, passed},
                           {DNNL_ARG_DIFF_SCALE_SHIFT, scale_shift_gradient_},
                           {DNNL_ARG_SCRATCHPAD, bench.scratchpad(backward.scratchpad_desc())}};
  }

  void forward(const float* weights) override {
    set_parameters(weights);
    bench_.run(forward_, forward_arguments_);
  }

  void backward(const float* weights, float* gradient) override {
    set_parameters(weights);
    if (has_scale_) point_at(scale_shift_gradient_, gradient);
    bench_.run(backward_, backward_arguments_);
    if (!has_scale_) std::copy_n(floats(scale_shift_gradient_) + channels_, channels_, gradient);
    if (input_.gradient) input_.land();
  }

 private:
  void set_parameters(const float* weights) {
    if (has_scale_) {
      point_at(scale_shift_, weights);
    } else {
      std::copy_n(weights, channels_, floats(scale_shift_) + channels_);
    }
  }

  Workbench& bench_;
  InputTensors input_;
  int channels_;
  bool has_scale_;
  dnnl::memory scale_shift_, scale_shift_gradient_;
  dnnl::primitive forward_, backward_;
  std::unordered_map<int, dnnl::memory> forward_arguments_, backward_arguments_;
};

}  // namespace

std::unique_ptr<LayerOperation> make_batch_norm(Workbench& bench, const Wiring& wiring) {
  return std::make_unique<BatchNorm>(bench, wiring);
}

}  // namespace paceline
