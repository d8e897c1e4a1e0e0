// SPDX-License-Identifier: MIT
#include "training/results/trace/link_load.hpp"

#include <algorithm>

namespace paceline {
namespace {

/// A change of a link's load, and of the number of copies on it.
struct Step {
  std::int64_t at_ps = 0;
  double by = 0;  // bytes/s
  int copies = 0;
};

std::vector<LoadChange> summed(std::vector<Step>& steps) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.at_ps < b.at_ps; });
  std::vector<LoadChange> changes;
  double load = 0;
  int copies = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    load += steps[i].by;
    copies += steps[i].copies;
    if (copies == 0) load = 0;  // no rounding error remains
    if (i + 1 < steps.size() && steps[i + 1].at_ps == steps[i].at_ps) continue;
    const BytesPerSecond now{std::max(0.0, load)};
    if (!changes.empty() && changes.back().load == now) continue;
    changes.push_back({Instant{steps[i].at_ps}, now});
  }
  return changes;
}

}  // namespace

std::vector<std::vector<LoadChange>> link_loads(const Trace& trace, CopyLinks& copy_links) {
  std::vector<std::vector<Step>> steps(copy_links.size());
  for (const Span& span : trace.spans) {
    if (span.kind != SpanKind::copy || span.end <= span.begin) continue;
    const double rate = span.bytes / (span.end - span.begin).value();
    for (const std::size_t link : copy_links.between(span.from, span.to).links) {
      steps[link].push_back({span.begin.ps, rate, 1});
      steps[link].push_back({span.end.ps, -rate, -1});
    }
  }
  std::vector<std::vector<LoadChange>> loads;
  for (std::vector<Step>& link : steps) loads.push_back(summed(link));
  return loads;
}

}  // namespace paceline
