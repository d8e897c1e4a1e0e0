// SPDX-License-Identifier: MIT
#include "sim/ahead/uniform_times.hpp"

#include <algorithm>
#include <functional>

namespace paceline {
namespace {

/// Steps before a leap, after which no rank's host is behind its sends, and after one, which leave
/// the last sends that hosts await.
constexpr int kBefore = 5, kAfter = 8;
/// Fewer steps are as fast one by one.
constexpr int kLeast = 64;

}  // namespace

bool UniformTimes::suits(const CollectiveSchedule& schedule) {
  for (int step = 0; step < schedule.steps(); ++step) {
    const auto same = schedule.uniform(step);
    if (!same || (same->arrival != Arrival::adds && same->arrival != Arrival::replaces))
      return false;
  }
  return schedule.steps() > 0;
}

/// The lengths of a step, of the first `size` ranks; those of the step before are often the same.
void UniformTimes::take_lengths(const UniformStep& step, double part, std::size_t size) {
  const auto all = static_cast<std::size_t>(schedule_.ranks());
  if (links_.empty() || shift_ != step.shift) {
    links_.resize(size);
    for (std::size_t rank = 0; rank < size; ++rank) {
      links_[rank] =
          costs_.link(static_cast<int>(rank),
                      static_cast<int>((rank + static_cast<std::size_t>(step.shift)) % all));
    }
    shift_ = step.shift;
    alike_ = all_equal(links_) && all_equal(costs_.sum);
    part_ = -1;
  }
  if (part_ == part && lengths_of_ == step) return;
  part_ = part;
  lengths_of_ = step;
  window_.reset();
  flow_.resize(size);
  copy_.resize(size);
  sum_.resize(size);
  const double bytes = part * step.parts;
  const bool adds = step.arrival == Arrival::adds;
  for (std::size_t rank = 0; rank < size; ++rank) {
    flow_[rank] = ScheduleCosts::flow_ps(links_[rank], bytes);
    copy_[rank] = later_ps(links_[rank].latency_ps, flow_[rank]);
    sum_[rank] = adds ? costs_.sum_ps(rank, bytes) : 0;
  }
}

/// Whether all ranks are at one place, and will be: the links of all steps are alike.
bool UniformTimes::in_step(double part, const RankClocks& ranks) {
  if (!all_equal(ranks.stream) || !all_equal(ranks.last) || !all_equal(ranks.host) ||
      !ranks.queued.same())
    return false;
  for (int step = 0; step < schedule_.steps(); ++step) {
    const UniformStep same = *schedule_.uniform(step);
    if (step > 0 && same == lengths_of_) continue;
    take_lengths(same, part, ranks.size());
    if (!alike_) return false;
  }
  return true;
}

void UniformTimes::carry_out(double part, RankClocks& ranks) {
  const bool together = costs_.folds && in_step(part, ranks);
  carry_out(together ? 1 : ranks.size(), part, ranks);
  if (together) ranks.spread();
}

void UniformTimes::carry_out(std::size_t size, double part, RankClocks& ranks) {
  ends_.resize(ranks.size());
  for (int step = 0, equal = 0; step < schedule_.steps(); step += equal) {
    const UniformStep same = *schedule_.uniform(step);
    take_lengths(same, part, ranks.size());
    equal = equal_steps(step);
    if (size < ranks.size() || !may_leap(same, equal, ranks)) {
      for (int i = 0; i < equal; ++i) take(same, size, ranks);
      continue;
    }
    for (int i = 0; i < kBefore; ++i) take(same, size, ranks);
    leap(static_cast<std::size_t>(equal - kBefore - kAfter), ranks);
    for (int i = 0; i < kAfter; ++i) take(same, size, ranks);
  }
  std::copy_n(ends_.begin(), size, ranks.sent.begin());
}

/// Those from `step` on that are the same.
int UniformTimes::equal_steps(int step) const {
  const auto same = schedule_.uniform(step);
  int end = step + 1;
  while (end < schedule_.steps() && schedule_.uniform(end) == same) ++end;
  return end - step;
}

/// Whether steps can be taken at once: those of a ring, with so long copies that a host that queues
/// four of them ahead is never late.
bool UniformTimes::may_leap(const UniformStep& step, int steps, const RankClocks& ranks) {
  const bool ring = step.shift == 1 && ranks.size() == static_cast<std::size_t>(schedule_.ranks());
  if (!costs_.folds || !ring || steps < kLeast || !all_equal(sum_)) return false;
  if (may_end_clock(ranks)) return false;
  const std::int64_t shortest = *std::ranges::min_element(copy_);
  if (costs_.decision_ps > static_cast<std::int64_t>(QueuedSteps::kAhead) * shortest) return false;
  if (!window_) {
    Row lengths = copy_;
    for (std::int64_t& length : lengths) length += sum_.front();
    window_.emplace(std::move(lengths));
  }
  return window_->suits();
}

/// Whether sums of a window's lengths, which do not saturate, may come near the end of the clock.
bool UniformTimes::may_end_clock(const RankClocks& ranks) const {
  const std::int64_t far = kEndOfClock / 8;
  const auto places = static_cast<std::int64_t>(3 * ranks.size());
  const std::int64_t longest = *std::ranges::max_element(copy_);
  return std::max(longest, sum_.front()) > far / places ||
         std::max(*std::ranges::max_element(ranks.stream), *std::ranges::max_element(ranks.last)) >
             far;
}

/// Hosts stay where they were: they are not late.
void UniformTimes::leap(std::size_t steps, RankClocks& ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks.last[rank] = std::max(ranks.last[rank], ranks.stream[rank]);
  window_->advance(ranks.last, steps);
  ranks.stream = ranks.last;
}

void UniformTimes::take(const UniformStep& step, std::size_t size, RankClocks& ranks) {
  const std::int64_t *const stream = ranks.stream.data(), *const last = ranks.last.data(),
                            *const host = ranks.host.data(), *const copy = copy_.data();
  std::int64_t* const ends = ends_.data();
  for (std::size_t rank = 0; rank < size; ++rank) {
    ends[rank] = later_ps(std::max(std::max(stream[rank], last[rank]), host[rank]), copy[rank]);
  }
  receive(step, size, ranks);
  note_queued(size, ranks);
}

/// Each rank takes what the rank `shift` places before it has sent.
void UniformTimes::receive(const UniformStep& step, std::size_t size, RankClocks& ranks) {
  const std::size_t shift = static_cast<std::size_t>(step.shift) % size;
  const bool adds = step.arrival == Arrival::adds;
  const std::int64_t *const ends = ends_.data(), *const sum = sum_.data(),
                            *const host = ranks.host.data();
  std::int64_t *const stream = ranks.stream.data(), *const last = ranks.last.data();
  const auto take = [&](std::size_t begin, std::size_t end, std::size_t from) {
    for (std::size_t rank = begin; rank < end; ++rank, ++from) {
      if (adds) {
        const std::int64_t ready = std::max(std::max(ends[rank], ends[from]), host[rank]);
        stream[rank] = last[rank] = later_ps(ready, sum[rank]);
      } else {
        stream[rank] = ends[rank];
        last[rank] = ends[from];
      }
    }
  };
  take(0, shift, size - shift);
  take(shift, size, 0);
  std::fill_n(ranks.unread.begin(), size, adds ? 0 : 1);
}

/// As of ScheduleTimes. Without the time of a decision the host is never late.
void UniformTimes::note_queued(std::size_t size, RankClocks& ranks) {
  if (costs_.decision_ps == 0) return;
  if (size == 1 || ranks.queued.same_number())
    return ranks.queued.queue_all(ends_, flow_, size, ranks.host, costs_);
  for (std::size_t rank = 0; rank < size; ++rank) {
    std::int64_t& host = ranks.host[rank];
    host = ranks.queued.queue(rank, ends_[rank], ends_[rank] - flow_[rank], host, costs_);
  }
}

}  // namespace paceline
