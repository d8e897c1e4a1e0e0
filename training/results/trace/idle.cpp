// SPDX-License-Identifier: MIT
#include "training/results/trace/idle.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace paceline {
namespace {

/// A possible cause of idleness and its duration.
struct Reason {
  Idle::Cause cause;
  RoleId from, to;
  Instant begin, end;
};

constexpr std::size_t kCauses = 5;

bool occupies(const Span& span) {
  if (span.kind == SpanKind::update) return true;
  if (span.kind == SpanKind::sum && span.from == span.stream.role) return true;
  return span.kind == SpanKind::compute || span.kind == SpanKind::delay || is_wait(span.kind);
}

class Idleness {
 public:
  explicit Idleness(const Trace& trace) : trace_(trace) {
    const auto workers = static_cast<std::size_t>(trace.workers);
    busy_.resize(workers);
    own_.resize(workers);
    for (const Span& span : trace.spans) sort_in(span);
    for (auto& reasons : own_) in_order(reasons);
    in_order(shared_);
    join(shared_);
  }

  std::vector<Idle> all() {
    for (RoleId worker = 0; worker < trace_.workers; ++worker) find_gaps(worker);
    return std::move(idle_);
  }

 private:
  void sort_in(const Span& span) {
    const bool worker = span.stream.role < trace_.workers;
    if (worker && occupies(span)) {
      busy_[static_cast<std::size_t>(span.stream.role)].push_back({span.begin, span.end});
    }
    const auto is_worker = [&](RoleId role) { return role >= 0 && role < trace_.workers; };
    switch (span.kind) {
      case SpanKind::copy:
        if (is_worker(span.to)) add(own_, span.to, Idle::Cause::fetch, span);
        if (is_worker(span.from)) add(own_, span.from, Idle::Cause::push, span);
        shared_.push_back({Idle::Cause::others, span.from, span.to, span.begin, span.end});
        return;
      case SpanKind::encoding:
      case SpanKind::sum:
        if (worker) return add(own_, span.stream.role, Idle::Cause::push, span);
        [[fallthrough]];
      case SpanKind::update:
        if (!worker) shared_.push_back({Idle::Cause::server, -1, -1, span.begin, span.end});
        return;
      case SpanKind::collective:
        shared_.push_back({Idle::Cause::others, -1, -1, span.begin, span.end});
        return;
      default:
        return;
    }
  }

  static void add(std::vector<std::vector<Reason>>& reasons, RoleId worker, Idle::Cause cause,
                  const Span& span) {
    reasons[static_cast<std::size_t>(worker)].push_back(
        {cause, span.from, span.to, span.begin, span.end});
  }

  static void in_order(std::vector<Reason>& reasons) {
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const Reason& a, const Reason& b) { return a.begin < b.begin; });
  }

  /// Merges overlapping reasons that have the same cause.
  static void join(std::vector<Reason>& reasons) {
    std::vector<Reason> joined;
    std::array<std::size_t, kCauses> last;  // by cause, in `joined`
    last.fill(reasons.size());
    for (const Reason& one : reasons) {
      std::size_t& at = last[static_cast<std::size_t>(one.cause)];
      if (at < joined.size() && one.begin <= joined[at].end) {
        joined[at].end = std::max(joined[at].end, one.end);
      } else {
        at = joined.size();
        joined.push_back(one);
      }
    }
    reasons = std::move(joined);
  }

  void find_gaps(RoleId worker) {
    auto& busy = busy_[static_cast<std::size_t>(worker)];
    std::sort(busy.begin(), busy.end());
    Instant at = trace_.begin;
    own_at_ = shared_at_ = 0;
    own_open_.clear();
    shared_open_.clear();
    for (const auto& [begin, end] : busy) {
      if (begin > at) fill(worker, at, std::min(begin, trace_.end));
      at = std::max(at, end);
      if (at >= trace_.end) return;
    }
    fill(worker, at, trace_.end);
  }

  /// The reasons that overlap [from, to), taken from an ordered list; `open` keeps those that last
  /// on.
  static void overlapping(const std::vector<Reason>& all, std::size_t& next,
                          std::vector<const Reason*>& open, Instant from, Instant to) {
    while (next < all.size() && all[next].begin < to) open.push_back(&all[next++]);
    std::erase_if(open, [&](const Reason* one) { return one->end <= from; });
  }

  /// Splits a gap at the times at which its causes change.
  void fill(RoleId worker, Instant from, Instant to) {
    if (to <= from) return;
    overlapping(own_[static_cast<std::size_t>(worker)], own_at_, own_open_, from, to);
    overlapping(shared_, shared_at_, shared_open_, from, to);
    std::vector<Instant> borders{from, to};
    for (const auto* open : {&own_open_, &shared_open_}) {
      for (const Reason* one : *open) {
        if (one->begin > from && one->begin < to) borders.push_back(one->begin);
        if (one->end > from && one->end < to) borders.push_back(one->end);
      }
    }
    std::sort(borders.begin(), borders.end());
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
      if (borders[i] < borders[i + 1]) note(worker, borders[i], borders[i + 1]);
    }
  }

  void note(RoleId worker, Instant from, Instant to) {
    Idle idle;
    idle.worker = worker;
    idle.begin = from;
    idle.end = to;
    for (const auto* open : {&own_open_, &shared_open_}) {
      for (const Reason* one : *open) {
        if (one->begin > from || one->end < to || one->cause >= idle.cause) continue;
        idle.cause = one->cause;
        const bool own = one->cause <= Idle::Cause::push;
        idle.from = own ? one->from : -1;
        idle.to = own ? one->to : -1;
      }
    }
    if (!idle_.empty()) {
      Idle& last = idle_.back();
      if (last.worker == worker && last.end == from && last.cause == idle.cause &&
          last.from == idle.from && last.to == idle.to) {
        last.end = to;
        return;
      }
    }
    idle_.push_back(idle);
  }

  const Trace& trace_;
  std::vector<std::vector<std::pair<Instant, Instant>>> busy_;  ///< by worker
  std::vector<std::vector<Reason>> own_;                        ///< by worker
  std::vector<Reason> shared_;
  std::size_t own_at_ = 0, shared_at_ = 0;
  std::vector<const Reason*> own_open_, shared_open_;
  std::vector<Idle> idle_;
};

}  // namespace

const char* name_of(Idle::Cause cause) {
  switch (cause) {
    case Idle::Cause::fetch:
      return "receiving";
    case Idle::Cause::push:
      return "sending";
    case Idle::Cause::server:
      return "waits for a server's arithmetic";
    case Idle::Cause::others:
      return "link busy with other transfers";
    case Idle::Cause::message:
      break;
  }
  return "waits for a message";
}

std::vector<Idle> idle_times(const Trace& trace) {
  return Idleness(trace).all();
}

}  // namespace paceline
