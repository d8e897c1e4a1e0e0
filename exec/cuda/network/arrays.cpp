// SPDX-License-Identifier: MIT
#include "exec/cuda/network/arrays.hpp"

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// Rounds up to the alignment that Tensor guarantees.
std::size_t up_to_256(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// How the operations of exec/cuda/layers use their arrays. Only an activation may overwrite its
/// input with its output; its backward pass reads the output, as does that of a fused ReLU.
std::vector<ArrayUse> uses_of(const Network& reduced, const std::vector<Group>& groups) {
  std::vector<ArrayUse> uses;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const LayerKind kind = reduced.layers[g].kind;
    ArrayUse use;
    use.overwrites = kind == LayerKind::activation;
    const bool keeps =
        groups[g].relu ||
        (kind != LayerKind::convolution && kind != LayerKind::fully_connected &&
         kind != LayerKind::add && kind != LayerKind::concat && kind != LayerKind::pad);
    if (keeps) use.keeps = ArrayUse::Looks::at_all;
    if (groups[g].apart) use.apart = static_cast<int>(groups[g].inputs.size()) - 1;
    uses.push_back(use);
  }
  return uses;
}

/// Total bytes of all arrays in a row; appends their offsets to `offsets`.
std::size_t lay_out(const std::vector<std::int64_t>& item_bytes, int batch,
                    std::vector<std::size_t>& offsets) {
  std::size_t next = 0;
  for (const std::int64_t bytes : item_bytes) {
    offsets.push_back(next);
    next += up_to_256(static_cast<std::size_t>(bytes * batch));
  }
  return next;
}

std::vector<std::int64_t> times(std::vector<std::int64_t> sizes, std::int64_t by) {
  for (std::int64_t& size : sizes) size *= by;
  return sizes;
}

}  // namespace

Arrays::Arrays(const NetworkSetting& setting, const Network& reduced,
               const std::vector<Group>& groups, const Arrays* idle)
    : reduced_(reduced),
      plan_(setting.trains ? plan_arrays(reduced, uses_of(reduced, groups))
                           : plan_forward_arrays(reduced, uses_of(reduced, groups))),
      element_(element_of(setting.precision)),
      layout_(setting.layout),
      batch_(setting.batch) {
  input_.element = reduced.vocabulary() > 0 ? Element::fp32 : element_;
  input_.layout = layout_;
  input_.batch = batch_;
  input_.shape = reduced.input;
  std::vector<std::int64_t> value_bytes = times(plan_.value_sizes, bytes_of(element_));
  value_bytes.front() = plan_.value_sizes.front() * bytes_of(input_.element);
  values_ = block(lay_out(value_bytes, batch_, value_offsets_),
                  idle != nullptr ? &idle->values_ : nullptr);
  gradients_ =
      block(lay_out(times(plan_.gradient_sizes, bytes_of(element_)), batch_, gradient_offsets_),
            idle != nullptr ? &idle->gradients_ : nullptr);
  input_.data = values_.data;
}

Arrays::Block Arrays::block(std::size_t bytes, const Block* idle) {
  if (idle != nullptr && bytes <= idle->bytes) return {{}, idle->data, bytes};
  Block block{DeviceMemory(bytes), nullptr, bytes};
  block.data = block.own.data();
  return block;
}

Tensor Arrays::tensor(const Block& memory, const std::vector<std::size_t>& offsets, int array,
                      Shape shape) const {
  if (array == ArrayPlan::kNone) return {};
  Tensor tensor;
  tensor.data = static_cast<std::byte*>(memory.data) + offsets[static_cast<std::size_t>(array)];
  tensor.element = element_;
  tensor.layout = layout_;
  tensor.batch = batch_;
  tensor.shape = shape;
  return tensor;
}

std::vector<Input> Arrays::inputs_of(std::size_t group) const {
  std::vector<Input> inputs;
  for (std::size_t k = 0; k < plan_.steps[group].inputs.size(); ++k) {
    const int maker = reduced_.layers[group].inputs[k];
    Input input;
    if (maker < 0) {
      input.value = input_;
    } else {
      const ArrayPlan::Input& planned = plan_.steps[group].inputs[k];
      const Shape shape = reduced_.layers[static_cast<std::size_t>(maker)].out;
      input.value = tensor(values_, value_offsets_, planned.value, shape);
      input.gradient = tensor(gradients_, gradient_offsets_, planned.gradient, shape);
      input.adds = planned.adds;
    }
    inputs.push_back(input);
  }
  return inputs;
}

Tensor Arrays::value_of(std::size_t group) const {
  return tensor(values_, value_offsets_, plan_.steps[group].value, reduced_.layers[group].out);
}

Tensor Arrays::gradient_of(std::size_t group) const {
  return tensor(gradients_, gradient_offsets_, plan_.steps[group].gradient,
                reduced_.layers[group].out);
}

void Arrays::clear(cudaStream_t stream) const {
  for (const Block* memory : {&values_, &gradients_}) {
    if (memory->bytes == 0) continue;
    check(cudaMemsetAsync(memory->data, 0, memory->bytes, stream), "clearing activations");
  }
}

}  // namespace paceline::cuda
