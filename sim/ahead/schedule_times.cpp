// SPDX-License-Identifier: MIT
#include "sim/ahead/schedule_times.hpp"

#include <algorithm>
#include <utility>

#include "training/runtime/instant.hpp"

namespace paceline {
namespace {

/// Rows that are kept from call to call, 64 bytes each.
constexpr std::int64_t kMostRows = std::int64_t{1} << 22;

std::int64_t at(const std::vector<std::int64_t>& times, int rank) {
  return times[static_cast<std::size_t>(rank)];
}

}  // namespace

ScheduleTimes::ScheduleTimes(const CollectiveSchedule& schedule, const ScheduleCosts& costs)
    : schedule_(schedule),
      costs_(costs),
      size_(static_cast<std::size_t>(schedule.ranks())),
      ends_(size_),
      begins_(size_) {
  if (UniformTimes::suits(schedule)) equal_steps_.emplace(schedule, costs);
}

/// The step of every rank.
const ScheduleTimes::Row* ScheduleTimes::rows_of(int step) {
  const std::int64_t all = static_cast<std::int64_t>(size_) * schedule_.steps();
  const bool kept = all <= kMostRows;
  const std::size_t begin = kept ? static_cast<std::size_t>(step) * size_ : 0;
  if (kept && rows_.size() > begin) return &rows_[begin];
  rows_.resize(begin + size_);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    Row& row = rows_[begin + rank];
    row.step = schedule_.at(static_cast<int>(rank), step, 0);
    row.link = row.step.to >= 0 ? costs_.link(static_cast<int>(rank), row.step.to) : ScheduleLink{};
  }
  return &rows_[begin];
}

void ScheduleTimes::carry_out(double part, RankClocks& ranks) {
  std::ranges::fill(ranks.unread, 1);
  if (!equal_steps_) return carry_out_rows(part, ranks);
  equal_steps_->carry_out(part, ranks);
  copies_ += static_cast<std::int64_t>(size_) * schedule_.steps();
}

void ScheduleTimes::carry_out_rows(double part, RankClocks& ranks) {
  ahead_.assign(size_, {});
  for (int step = 0; step < schedule_.steps(); ++step) {
    const Row* const rows = rows_of(step);
    for (std::size_t rank = 0; rank < size_; ++rank) {
      if (rows[rank].step.to >= 0) send(rows[rank], rank, part, ranks);
    }
    for (std::size_t rank = 0; rank < size_; ++rank) {
      receive(rows[rank].step, rank, part, ranks);
    }
  }
}

void ScheduleTimes::send(const Row& row, std::size_t rank, double part, RankClocks& ranks) {
  const std::int64_t begin = std::max({ranks.stream[rank], ranks.last[rank], ranks.host[rank]});
  const double bytes = part * (row.step.out.last - row.step.out.first);
  begins_[rank] = later_ps(begin, row.link.latency_ps);
  ends_[rank] = later_ps(begins_[rank], ScheduleCosts::flow_ps(row.link, bytes));
  ranks.stream[rank] = ranks.sent[rank] = ends_[rank];
  ranks.unread[rank] = 0;
  ++copies_;
}

void ScheduleTimes::receive(const ScheduleStep& step, std::size_t rank, double part,
                            RankClocks& ranks) {
  std::int64_t& stream = ranks.stream[rank];
  std::int64_t& last = ranks.last[rank];
  const bool late = step.arrival == Arrival::is_taken || step.arrival == Arrival::is_added;
  if (step.from < 0 && !late) {
    if (step.to >= 0) note_queued(rank, ranks);
    return;
  }
  const std::int64_t arrived = step.from >= 0 ? at(ends_, step.from) : last;
  if (step.arrival == Arrival::adds || step.from < 0) {
    const std::int64_t before = ranks.unread[rank] != 0 ? last : 0;
    const std::int64_t begin = std::max({stream, arrived, before, ranks.host[rank]});
    stream = last = later_ps(begin, costs_.sum_ps(rank, part * (step.in.last - step.in.first)));
    ranks.unread[rank] = 0;
  } else {
    if (ranks.unread[rank] != 0 && last >= ranks.host[rank]) {
      stream = ranks.sent[rank] = std::max({stream, last, ranks.sent[rank], ranks.host[rank]});
    }
    last = arrived;
    ranks.unread[rank] = 1;
  }
  note_queued(rank, ranks);
}

/// The host queues the next step once the send of four steps before is over.
void ScheduleTimes::note_queued(std::size_t rank, RankClocks& ranks) {
  Ahead& ahead = ahead_[rank];
  const std::size_t slot = ahead.next++ % ahead.sent.size();
  const std::int64_t earlier = std::exchange(ahead.sent[slot], ranks.sent[rank]);
  const std::int64_t began = std::exchange(ahead.began[slot], begins_[rank]);
  std::int64_t& host = ranks.host[rank];
  if (ahead.next > ahead.sent.size()) host = costs_.host_after(host, earlier, began);
}

}  // namespace paceline
