// SPDX-License-Identifier: MIT
#include "training/strategies/scattered_batch.hpp"

namespace paceline {
namespace {

constexpr double kBytesPerElement = 4;

Slice elements(std::int64_t begin, std::int64_t count) {
  return {begin, begin + count, kBytesPerElement * static_cast<double>(count)};
}

}  // namespace

std::span<const EnumName<LossPlacement>> enum_names(const LossPlacement*) {
  static constexpr EnumName<LossPlacement> kNames[] = {{"first-gpu", LossPlacement::server},
                                                       {"every-gpu", LossPlacement::every_gpu}};
  return kNames;
}

Token ScatteredBatch::copy(StreamKind stream, bool to_server, Slice slice, std::int64_t shift,
                           Token after) {
  const BufferRef there{plan_.server(0), Buffer::gradient};
  const BufferRef here{me_, Buffer::landing};
  Command::Copy copy{to_server ? here : there, to_server ? there : here, slice};
  copy.shift = shift;
  return backend_.copy({me_, stream}, copy, {}, after);
}

Token ScatteredBatch::fetch_inputs(std::int64_t step) {
  const std::int64_t begin = plan_.whole_inputs() ? 0 : me_ * plan_.batch_inputs;
  const Slice mine = elements(begin, inputs_here(plan_));
  if (!plan_.input) return copy(StreamKind::fetch, false, mine, -begin, {});
  Command::Copy copy{
      WorkerInput::scattered_from(plan_, backend_, step), {me_, Buffer::landing}, mine};
  copy.shift = -begin;
  return backend_.copy({me_, StreamKind::fetch}, copy);
}

Token ScatteredBatch::push_outputs(Token forward) {
  const std::int64_t begin = inputs_here(plan_);
  return copy(StreamKind::push, true, elements(begin, plan_.batch_outputs),
              outputs_at_server() - begin, forward);
}

Token ScatteredBatch::fetch_gradients_of_outputs() {
  return copy(StreamKind::fetch, false, elements(outputs_at_server(), plan_.batch_outputs),
              inputs_here(plan_) - outputs_at_server(), {});
}

}  // namespace paceline
