// SPDX-License-Identifier: MIT
#include "sim/ahead/uniform_times.hpp"

#include <algorithm>

namespace paceline {
namespace {

template <class T>
bool all_equal(const std::vector<T>& values) {
  return std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
}

}  // namespace

bool UniformTimes::suits(const CollectiveSchedule& schedule) {
  for (int step = 0; step < schedule.steps(); ++step) {
    const auto same = schedule.uniform(step);
    if (!same || (same->arrival != Arrival::adds && same->arrival != Arrival::replaces))
      return false;
  }
  return schedule.steps() > 0;
}

/// The lengths of a step, of every rank; those of the step before are often the same.
void UniformTimes::take_lengths(const UniformStep& step, double part) {
  const auto size = static_cast<std::size_t>(schedule_.ranks());
  if (links_.empty() || shift_ != step.shift) {
    links_.resize(size);
    for (std::size_t rank = 0; rank < size; ++rank) {
      links_[rank] =
          costs_.link(static_cast<int>(rank),
                      static_cast<int>((rank + static_cast<std::size_t>(step.shift)) % size));
    }
    shift_ = step.shift;
    alike_ = all_equal(links_) && all_equal(costs_.sum);
    part_ = -1;
  }
  if (part_ == part && lengths_of_ == step) return;
  part_ = part;
  lengths_of_ = step;
  flow_.resize(size);
  copy_.resize(size);
  sum_.resize(size);
  const double bytes = part * step.parts;
  const bool adds = step.arrival == Arrival::adds;
  for (std::size_t rank = 0; rank < size; ++rank) {
    flow_[rank] = ScheduleCosts::flow_ps(links_[rank], bytes);
    copy_[rank] = flow_[rank] + links_[rank].latency_ps;
    sum_[rank] = adds ? costs_.sum_ps(rank, bytes) : 0;
  }
}

/// Whether all ranks are at one place, and will be: the links of all steps are alike.
bool UniformTimes::in_step(double part, const RankClocks& ranks) {
  if (!all_equal(ranks.stream) || !all_equal(ranks.last) || !all_equal(ranks.host)) return false;
  for (int step = 0; step < schedule_.steps(); ++step) {
    take_lengths(*schedule_.uniform(step), part);
    if (!alike_) return false;
  }
  return true;
}

void UniformTimes::carry_out(double part, RankClocks& ranks) {
  const bool together = in_step(part, ranks);
  carry_out(together ? 1 : ranks.stream.size(), part, ranks);
  if (!together) return;
  for (Row* row : {&ranks.stream, &ranks.last, &ranks.sent, &ranks.host})
    std::ranges::fill(*row, row->front());
}

void UniformTimes::carry_out(std::size_t size, double part, RankClocks& ranks) {
  ends_.resize(size);
  for (int step = 0; step < schedule_.steps(); ++step) {
    const UniformStep same = *schedule_.uniform(step);
    take_lengths(same, part);
    const std::int64_t *const stream = ranks.stream.data(), *const last = ranks.last.data(),
                              *const host = ranks.host.data(), *const copy = copy_.data();
    std::int64_t* const ends = ends_.data();
    for (std::size_t rank = 0; rank < size; ++rank) {
      ends[rank] = std::max(std::max(stream[rank], last[rank]), host[rank]) + copy[rank];
    }
    receive(same, size, ranks);
    note_queued(step, size, ranks);
  }
  std::ranges::copy(ends_, ranks.sent.begin());
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
        stream[rank] = last[rank] = ready + sum[rank];
      } else {
        stream[rank] = ends[rank];
        last[rank] = ends[from];
      }
    }
  };
  take(0, shift, size - shift);
  take(shift, size, 0);
}

/// As ScheduleTimes::note_queued. Without the time of a decision the host is never late.
void UniformTimes::note_queued(int step, std::size_t size, RankClocks& ranks) {
  if (costs_.decision_ps == 0) return;
  const auto slot = static_cast<std::size_t>(step) % sent_.size();
  Row& sent = sent_[slot];
  Row& began = began_[slot];
  sent.resize(size);
  began.resize(size);
  std::int64_t* const host = ranks.host.data();
  const bool waits = static_cast<std::size_t>(step) >= sent_.size();
  for (std::size_t rank = 0; rank < size; ++rank) {
    if (waits) host[rank] = costs_.host_after(host[rank], sent[rank], began[rank]);
    sent[rank] = ends_[rank];
    began[rank] = ends_[rank] - flow_[rank];
  }
}

}  // namespace paceline
