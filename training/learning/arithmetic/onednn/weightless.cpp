// SPDX-License-Identifier: MIT
// Activations, poolings and the response norm: one primitive per direction, and no weights.
#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

using Arguments = std::unordered_map<int, dnnl::memory>;

class Weightless final : public LayerOperation {
 public:
  Weightless(Workbench& bench, const InputTensors& input, dnnl::primitive forward,
             Arguments forward_arguments, dnnl::primitive backward, Arguments backward_arguments)
      : bench_(bench),
        input_(input),
        forward_(std::move(forward)),
        backward_(std::move(backward)),
        forward_arguments_(std::move(forward_arguments)),
        backward_arguments_(std::move(backward_arguments)) {}

  void forward(const float* /*weights*/) override { bench_.run(forward_, forward_arguments_); }

  void backward(const float* /*weights*/, float* /*gradient*/) override {
    if (!input_.gradient) return;
    bench_.run(backward_, backward_arguments_);
    input_.land();
  }

 private:
  Workbench& bench_;
  InputTensors input_;
  dnnl::primitive forward_, backward_;
  Arguments forward_arguments_, backward_arguments_;
};

/// `Forward` and `Backward` share a workspace. `value_read` names the value that backward reads
/// again: DNNL_ARG_SRC, DNNL_ARG_DST, or 0 for none.
template <class Forward, class Backward>
std::unique_ptr<LayerOperation> assemble(Workbench& bench, const Wiring& wiring,
                                         const typename Forward::primitive_desc& forward,
                                         const typename Backward::primitive_desc& backward,
                                         int value_read) {
  const InputTensors& input = wiring.inputs.front();
  const dnnl::memory workspace(forward.workspace_desc(), bench.engine());
  Arguments ahead{{DNNL_ARG_SRC, input.value},
                  {DNNL_ARG_DST, wiring.value},
                  {DNNL_ARG_WORKSPACE, workspace},
                  {DNNL_ARG_SCRATCHPAD, bench.scratchpad(forward.scratchpad_desc())}};
  Arguments back{{DNNL_ARG_DIFF_DST, wiring.gradient},
                 {DNNL_ARG_DIFF_SRC, input.landing},
                 {DNNL_ARG_WORKSPACE, workspace},
                 {DNNL_ARG_SCRATCHPAD, bench.scratchpad(backward.scratchpad_desc())}};
  if (value_read == DNNL_ARG_SRC) back.emplace(DNNL_ARG_SRC, input.value);
  if (value_read == DNNL_ARG_DST) back.emplace(DNNL_ARG_DST, wiring.value);
  return std::make_unique<Weightless>(bench, input, Forward(forward), std::move(ahead),
                                      Backward(backward), std::move(back));
}

/// `algorithm` of each element; `value_read` as above.
std::unique_ptr<LayerOperation> of_each_element(Workbench& bench, const Wiring& wiring,
                                                dnnl::algorithm algorithm, int value_read) {
  const dnnl::memory::desc x = tensor_of(wiring.batch, wiring.layer.in);
  const dnnl::eltwise_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, x, 0.0f, 0.0f}, bench.attributes(),
      bench.engine());
  const dnnl::eltwise_backward::primitive_desc backward(
      {algorithm, x, x, 0.0f, 0.0f}, bench.attributes(), bench.engine(), forward);
  return assemble<dnnl::eltwise_forward, dnnl::eltwise_backward>(bench, wiring, forward, backward,
                                                                 value_read);
}

}  // namespace

std::unique_ptr<LayerOperation> make_activation(Workbench& bench, const Wiring& wiring) {
  // Backward uses the output, because the input may have been overwritten.
  return of_each_element(bench, wiring, dnnl::algorithm::eltwise_relu_use_dst_for_bwd,
                         DNNL_ARG_DST);
}

std::unique_ptr<LayerOperation> make_gelu(Workbench& bench, const Wiring& wiring) {
  return of_each_element(bench, wiring, dnnl::algorithm::eltwise_gelu_erf, DNNL_ARG_SRC);
}

std::unique_ptr<LayerOperation> make_pooling(Workbench& bench, const Wiring& wiring) {
  const Layer& layer = wiring.layer;
  const auto algorithm = layer.kind == LayerKind::max_pool
                             ? dnnl::algorithm::pooling_max
                             : dnnl::algorithm::pooling_avg_exclude_padding;
  const dnnl::memory::desc x = tensor_of(wiring.batch, layer.in);
  const dnnl::memory::desc y = tensor_of(wiring.batch, layer.out);
  const dnnl::memory::dims stride{layer.stride, layer.stride};
  const dnnl::memory::dims kernel{layer.kernel_height, layer.kernel_width};
  const dnnl::memory::dims before{layer.pad_top, layer.pad_left};
  const dnnl::memory::dims after{layer.pad_bottom, layer.pad_right};
  const dnnl::pooling_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, x, y, stride, kernel, before, after},
      bench.attributes(), bench.engine());
  const dnnl::pooling_backward::primitive_desc backward(
      {algorithm, x, y, stride, kernel, before, after}, bench.attributes(), bench.engine(),
      forward);
  return assemble<dnnl::pooling_forward, dnnl::pooling_backward>(bench, wiring, forward, backward,
                                                                 0);
}

std::unique_ptr<LayerOperation> make_response_norm(Workbench& bench, const Wiring& wiring) {
  constexpr auto kAcross = dnnl::algorithm::lrn_across_channels;
  constexpr float kOffset = 1.0f;
  const Layer& layer = wiring.layer;
  const auto alpha = static_cast<float>(layer.norm_alpha);
  const auto beta = static_cast<float>(layer.norm_beta);
  const dnnl::memory::desc x = tensor_of(wiring.batch, layer.in);
  const dnnl::lrn_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kAcross, x, layer.norm_size, alpha, beta, kOffset},
      bench.attributes(), bench.engine());
  const dnnl::lrn_backward::primitive_desc backward(
      {kAcross, x, x, layer.norm_size, alpha, beta, kOffset}, bench.attributes(), bench.engine(),
      forward);
  return assemble<dnnl::lrn_forward, dnnl::lrn_backward>(bench, wiring, forward, backward,
                                                         DNNL_ARG_SRC);
}

}  // namespace paceline
