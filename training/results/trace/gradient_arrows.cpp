// SPDX-License-Identifier: MIT
#include "training/results/trace/gradient_arrows.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace paceline {
namespace {

/// The spans at which arrows may begin or end.
struct Ends {
  /// By worker, step and receiver: a gradient's last copy; with receiver -1: its arithmetic.
  std::map<std::tuple<RoleId, std::int64_t, RoleId>, const Span*> sent;
  std::map<std::pair<RoleId, std::int64_t>, const Span*> updates;  ///< by role and version
  std::map<RoleId, std::vector<const Span*>> arrivals;  ///< by receiver, in order of their ends

  Ends(const Trace& trace, int roles) {
    for (const Span& span : trace.spans) {
      if (span.stream.role >= roles) continue;  // a loader
      if (span.kind == SpanKind::copy && span.stream.kind == StreamKind::push) {
        sent[{span.from, span.work.step, span.to}] = &span;
        arrivals[span.to].push_back(&span);
      } else if (span.kind == SpanKind::compute && span.layers.pass == Pass::backward) {
        sent[{span.work.worker, span.work.step, -1}] = &span;
      } else if (span.kind == SpanKind::update && span.version > 0) {
        updates[{span.stream.role, span.version}] = &span;
      }
    }
    for (auto& [receiver, copies] : arrivals) {
      std::stable_sort(copies.begin(), copies.end(),
                       [](const Span* a, const Span* b) { return a->end < b->end; });
    }
  }

  const Span* of(const TakenGradient& taken, RoleId receiver) const {
    auto found = sent.find({taken.worker, taken.step, receiver});
    if (found == sent.end()) found = sent.find({taken.worker, taken.step, -1});
    return found == sent.end() ? nullptr : found->second;
  }
};

}  // namespace

std::vector<Arrow> gradient_arrows(const Trace& trace, int roles) {
  const Ends ends(trace, roles);
  std::vector<Arrow> arrows;
  for (const TakenGradient& taken : trace.taken) {
    for (RoleId role = 0; role < roles; ++role) {
      const auto update = ends.updates.find({role, taken.version});
      if (update == ends.updates.end()) continue;
      const Span* from = ends.of(taken, role);
      if (from != nullptr && from->begin <= update->second->begin) {
        arrows.push_back({from, update->second});
      }
    }
  }
  if (!trace.taken.empty()) return arrows;
  for (const auto& [key, update] : ends.updates) {
    const auto found = ends.arrivals.find(key.first);
    if (found == ends.arrivals.end()) continue;
    const auto after =
        std::upper_bound(found->second.begin(), found->second.end(), update->begin,
                         [](Instant when, const Span* copy) { return when < copy->end; });
    if (after != found->second.begin()) arrows.push_back({*std::prev(after), update});
  }
  return arrows;
}

}  // namespace paceline
