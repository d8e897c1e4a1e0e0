// SPDX-License-Identifier: MIT
#include "training/experiment/software/kernel_cost.hpp"

#include <algorithm>
#include <array>

namespace paceline {

std::span<const EnumName<TensorFunction>> enum_names(const TensorFunction*) {
  static constexpr std::array<EnumName<TensorFunction>, 5> kNames{
      {{"layer-norm", TensorFunction::layer_norm},
       {"gelu", TensorFunction::gelu},
       {"scores", TensorFunction::scores},
       {"softmax", TensorFunction::softmax},
       {"loss", TensorFunction::loss}}};
  return kNames;
}

std::span<const EnumName<Casts>> enum_names(const Casts*) {
  static constexpr std::array<EnumName<Casts>, 3> kNames{
      {{"none", Casts::none}, {"weights", Casts::weights}, {"all", Casts::all}}};
  return kNames;
}

void ComposedPass::describe(Description<ComposedPass>& d) {
  d.required("operations", &ComposedPass::operations, "kernels, one after another")
      .at_least(1)
      .at_most(1000);
  d.required("passes", &ComposedPass::passes,
             "arrays of the size of the function's output that they read and write")
      .above(0)
      .at_most(1000);
}

void ComposedFunction::describe(Description<ComposedFunction>& d) {
  d.required("function", &ComposedFunction::function,
             "the function; 'scores' is the scale and the mask of attention's scores, 'softmax' "
             "theirs, 'loss' a softmax with its cross-entropy");
  d.required("forward", &ComposedFunction::forward, "on the way forward");
  d.required("backward", &ComposedFunction::backward, "on the way back");
}

bool KernelCost::in_fp32(TensorFunction function) const {
  return std::ranges::find(fp32_functions, function) != fp32_functions.end();
}

// Loads in flight, not bytes, bound such kernels: a GPU has as many whatever their size.
Bytes KernelCost::loaded(Bytes element) const {
  constexpr Bytes kOfFp32{4};
  return single_loads ? std::max(element, kOfFp32) : element;
}

const ComposedFunction* KernelCost::composition_of(TensorFunction function) const {
  const auto found = std::ranges::find(composed, function, &ComposedFunction::function);
  return found == composed.end() ? nullptr : &*found;
}

void KernelCost::describe(Description<KernelCost>& d) {
  d.optional("launch", &KernelCost::launch, "time between two kernels of a GPU")
      .at_least(Seconds{0});
  d.optional("dispatch", &KernelCost::dispatch,
             "time the host needs to start one kernel, where it starts each by itself (0 s: the "
             "kernels of a layer together, in software.dispatch)")
      .at_least(Seconds{0});
  d.optional("fused", &KernelCost::fused,
             "biases, ReLUs and adds are parts of the kernels before them");
  d.optional("fused_attention", &KernelCost::fused_attention,
             "attention is one kernel in each pass, which keeps its scores on the chip");
  d.optional("separate_projections", &KernelCost::separate_projections,
             "attention's queries, keys and values are products of their own (default: one)");
  d.optional(
       "pads_rows", &KernelCost::pads_rows,
       "in 16 bits and tf32, rows of a product's matrices that begin at multiples of fewer bytes "
       "than this are padded to 16, without which tensor cores are slow (0 B: none)")
      .at_least(Bytes{0})
      .at_most(Bytes{16});
  d.optional("tuned_passes", &KernelCost::tuned_passes,
             "kernels that move data reach the bandwidth of a copy (a GPU's efficiency.memory, not "
             "passes)");
  d.optional(
      "single_loads", &KernelCost::single_loads,
      "in 16 bits, its own kernels that move data load one number at a time and take as long "
      "as in fp32; convolutions, batch norms, ReLUs and pools are a library's");
  d.optional("casts", &KernelCost::casts,
             "in fp16 and bf16 each mini-batch rounds the fp32 weights anew, and widens their "
             "gradients to fp32 (weights); it casts what lies between fp32 and products too (all)");
  d.optional("fp32_functions", &KernelCost::fp32_functions,
             "in fp16 and bf16 these, and adds of what layer norms write, still read and write "
             "fp32");
  d.optional("composed", &KernelCost::composed,
             "functions that it composes of several kernels (default: it has one for each)");
  d.optional("of_update", &KernelCost::of_update,
             "kernels for each tensor of an update, and of a sum of gradients, in line with the "
             "GPU's other kernels (0: one for all tensors, on a stream of its own)")
      .at_least(0)
      .at_most(16);
  d.optional(
      "transposes", &KernelCost::transposes,
      "in fp32 and layout NHWC, tensors that convolutions and batch norms read and write are "
      "transposed to NCHW and back");
}

}  // namespace paceline
