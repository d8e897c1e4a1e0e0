// SPDX-License-Identifier: MIT
#include "training/results/trace/worker_memory.hpp"

#include <algorithm>

namespace paceline {

std::vector<MemoryChange> memory_over_time(const Trace& trace, const WorkerMemory& memory,
                                           RoleId worker) {
  if (memory.kept.empty()) return {};
  // layers one by one where they were reported, else those of an operation together
  const bool parts = std::ranges::any_of(trace.spans, [worker](const Span& span) {
    return span.kind == SpanKind::part && span.work.worker == worker;
  });
  std::vector<const Span*> passes;
  for (const Span& span : trace.spans) {
    const bool counts = span.kind == (parts ? SpanKind::part : SpanKind::compute) &&
                        span.layers.pass != Pass::validation;  // which keeps nothing
    if (counts && span.work.worker == worker) passes.push_back(&span);
  }
  std::ranges::stable_sort(passes, {}, [](const Span* span) { return span->end.ps; });
  std::vector<MemoryChange> changes{{trace.begin, memory.always}};
  Bytes held;
  for (const Span* const span : passes) {
    const LayerRange& layers = span->layers;
    const bool forward = layers.pass == Pass::forward;
    if (forward && layers.first == 0) held = {};  // what a cancelled mini-batch kept is free
    Bytes kept;
    for (std::int32_t layer = layers.first; layer < layers.last; ++layer)
      kept = kept + memory.kept[static_cast<std::size_t>(layer)];
    held = forward ? held + kept : std::max(Bytes{}, held - kept);
    changes.push_back({span->end, memory.always + held});
  }
  return changes;
}

}  // namespace paceline
