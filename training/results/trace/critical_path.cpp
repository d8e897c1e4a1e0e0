// SPDX-License-Identifier: MIT
#include "training/results/trace/critical_path.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace paceline {
namespace {

class Walk {
 public:
  explicit Walk(const Trace& trace) : trace_(trace), order_(trace.spans.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return trace.spans[a].end < trace.spans[b].end;
    });
    for (std::size_t rank = 0; rank < order_.size(); ++rank) {
      const Span& span = at(rank);
      if (!works(span)) continue;
      all_.push_back(rank);
      by_role_[span.stream.role].push_back(rank);
      if (span.kind == SpanKind::copy && span.to != span.stream.role) {
        by_role_[span.to].push_back(rank);
      }
    }
  }

  std::vector<PathPiece> back(const UpdateWindow& window) {
    std::vector<PathPiece> path;
    Instant now = window.end;
    std::optional<std::size_t> rank = last_of(window);
    while (now > window.begin) {
      const Instant ended = rank ? std::max(at(*rank).end, window.begin) : window.begin;
      if (ended < now) path.push_back({nullptr, ended, now});
      if (!rank || ended == window.begin) break;
      const Span& span = at(*rank);
      now = std::max(span.begin, window.begin);
      if (now < ended) path.push_back({&span, now, ended});
      rank = before(*rank);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  static bool works(const Span& span) { return span.kind != SpanKind::part && !is_wait(span.kind); }
  const Span& at(std::size_t rank) const { return trace_.spans[order_[rank]]; }

  /// The span that made the window's last version; with replicas, the span of the last one to
  /// update.
  std::optional<std::size_t> last_of(const UpdateWindow& window) const {
    std::optional<std::size_t> last;
    for (std::size_t rank = 0; rank < order_.size() && at(rank).end <= window.end; ++rank) {
      const Span& span = at(rank);
      if (span.kind != SpanKind::update || span.version != window.version) continue;
      // With several shards, the one with the lowest role counts.
      const bool later =
          !last || span.stream.role < trace_.workers || span.stream.role < at(*last).stream.role;
      if (later) last = rank;
    }
    return last;
  }

  /// The last of `ranks` below `rank` that ended by the time that span `rank` began.
  std::optional<std::size_t> latest(const std::vector<std::size_t>& ranks, std::size_t rank) const {
    const Instant begin = at(rank).begin;
    auto next =
        std::upper_bound(ranks.begin(), ranks.end(), begin,
                         [this](Instant when, std::size_t other) { return when < at(other).end; });
    while (next != ranks.begin()) {
      if (*--next < rank) return *next;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> before(std::size_t rank) const {
    const Span& span = at(rank);
    // a call waits for every rank, and for the calls before it
    if (span.kind == SpanKind::collective) return latest(all_, rank);
    std::optional<std::size_t> best;
    for (const RoleId role : {span.stream.role, span.kind == SpanKind::copy ? span.from : -1}) {
      const auto known = by_role_.find(role);
      if (known == by_role_.end()) continue;
      const auto found = latest(known->second, rank);
      if (found && (!best || *found > *best)) best = found;
    }
    return best;
  }

  const Trace& trace_;
  std::vector<std::size_t> order_;                      ///< spans by their ends
  std::map<RoleId, std::vector<std::size_t>> by_role_;  ///< ranks, in `order_`
  std::vector<std::size_t> all_;                        ///< ranks of those that work, in `order_`
};

}  // namespace

std::optional<UpdateWindow> all_updates(const Trace& trace) {
  UpdateWindow window;
  window.begin = window.end = trace.begin;
  for (const Moment& moment : trace.moments) {
    if (moment.kind != Moment::Kind::version) continue;
    if (moment.at <= trace.begin || moment.at > trace.end) continue;
    ++window.updates;
    if (moment.at < window.end) continue;
    window.end = moment.at;
    window.version = moment.count;
  }
  if (window.end == window.begin) return std::nullopt;
  return window;
}

std::vector<PathPiece> critical_path(const Trace& trace, const UpdateWindow& window) {
  return Walk(trace).back(window);
}

}  // namespace paceline
