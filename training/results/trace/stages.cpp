// SPDX-License-Identifier: MIT
#include "training/results/trace/stages.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

constexpr std::array<const char*, 3> kStages{"computation", "merge", "update"};

std::optional<std::size_t> stage_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::compute:
      return 0;
    case SpanKind::sum:
      return 1;
    case SpanKind::update:
      return 2;
    default:
      return std::nullopt;
  }
}

/// From the first begin to the last end.
struct Extent {
  bool any = false;
  Instant begin, end;
  void include(const Span& span) {
    begin = any ? std::min(begin, span.begin) : span.begin;
    end = any ? std::max(end, span.end) : span.end;
    any = true;
  }
};

}  // namespace

bool is_stage(std::string_view name) {
  return std::ranges::find(kStages, name) != kStages.end();
}

std::string stage_names() {
  return join({kStages.begin(), kStages.end()}, ", ");
}

std::map<std::string, Seconds> stages_of(const Trace& trace) {
  std::vector<Instant> updates;  // in order of time
  for (const Moment& moment : trace.moments) {
    if (moment.kind == Moment::Kind::version) updates.push_back(moment.at);
  }
  // of the steps between two updates: those at the ends may be cut
  std::vector<std::array<Extent, kStages.size()>> steps(updates.empty() ? 0 : updates.size() - 1);
  for (const Span& span : trace.spans) {
    const auto stage = stage_of(span.kind);
    const auto after = std::ranges::lower_bound(updates, span.end);
    if (!stage || after == updates.begin() || after == updates.end()) continue;
    steps[static_cast<std::size_t>(after - updates.begin()) - 1][*stage].include(span);
  }
  std::map<std::string, Seconds> means;
  for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
    std::int64_t sum_ps = 0, count = 0;
    for (const auto& step : steps) {
      if (!step[stage].any) continue;
      sum_ps += step[stage].end.ps - step[stage].begin.ps;
      ++count;
    }
    if (count > 0)
      means[kStages[stage]] =
          Seconds{1e-12 * static_cast<double>(sum_ps) / static_cast<double>(count)};
  }
  return means;
}

std::map<std::string, double> shares_of(const std::map<std::string, Seconds>& stages) {
  double sum = 0;
  for (const auto& [name, time] : stages) sum += time.value();
  std::map<std::string, double> shares;
  for (const auto& [name, time] : stages) shares[name] = sum > 0 ? time.value() / sum : 0;
  return shares;
}

}  // namespace paceline
