// SPDX-License-Identifier: MIT
#include "sim/ahead/gradual_call.hpp"

#include <algorithm>
#include <utility>

#include "sim/ahead/uniform_times.hpp"

namespace paceline {
namespace {

/// Copies of a call, of which each has its end in memory.
constexpr std::int64_t kMostCopies = std::int64_t{1} << 23;

}  // namespace

bool GradualSchedule::suits(const CollectiveSchedule& schedule) {
  const std::int64_t copies = std::int64_t{schedule.ranks()} * schedule.steps();
  return copies <= kMostCopies && UniformTimes::suits(schedule);
}

GradualSchedule::GradualSchedule(const CollectiveSchedule& schedule, ScheduleCosts given,
                                 std::vector<bool> which)
    : costs(std::move(given)), disturbed(std::move(which)), parts(schedule.parts()) {
  for (int step = 0; step < schedule.steps(); ++step) {
    const UniformStep same = *schedule.uniform(step);
    auto known = std::ranges::find(kinds, same, &Kind::step);
    if (known == kinds.end()) {
      Kind& kind = kinds.emplace_back();
      kind.step = same;
      for (int rank = 0; rank < schedule.ranks(); ++rank)
        kind.links.push_back(costs.link(rank, (rank + same.shift) % schedule.ranks()));
      known = kinds.end() - 1;
    }
    kind_of.push_back(static_cast<std::uint8_t>(known - kinds.begin()));
  }
  costs.link = {};
}

GradualCall::GradualCall(const GradualSchedule& schedule, GradualCallListener& listener)
    : schedule_(schedule),
      listener_(listener),
      ranks_(schedule.disturbed.size()),
      steps_(schedule.kind_of.size()),
      lengths_(schedule.kinds.size() * ranks_),
      ends_(ranks_ * steps_) {}

void GradualCall::begin(double bytes) {
  part_ = bytes / schedule_.parts;
  by_rank_.assign(ranks_, {});
  left_ = ranks_;
  Length* length = lengths_.data();
  for (const GradualSchedule::Kind& kind : schedule_.kinds) {
    const double amount = part_ * kind.step.parts;
    for (std::size_t rank = 0; rank < ranks_; ++rank, ++length) {
      const ScheduleLink& link = kind.links[rank];
      length->copy = later_ps(link.latency_ps, ScheduleCosts::flow_ps(link, amount));
      length->sum = kind.step.arrival == Arrival::adds ? schedule_.costs.sum_ps(rank, amount) : 0;
      length->is_simulated = schedule_.disturbed[rank] && link.per_byte > 0;
    }
  }
}

void GradualCall::come(int rank, std::int64_t now_ps) {
  Rank& mine = by_rank_[static_cast<std::size_t>(rank)];
  mine.stream = mine.last = now_ps;
  mine.step = 0;
  may_go_on_.push_back(static_cast<std::uint32_t>(rank));
  go_on();
}

void GradualCall::note_sent(int rank, std::int64_t now_ps) {
  note_end(static_cast<std::size_t>(rank), now_ps);
  may_go_on_.push_back(static_cast<std::uint32_t>(rank));
  go_on();
}

void GradualCall::go_on() {
  while (!may_go_on_.empty()) {
    const std::size_t rank = may_go_on_.back();
    may_go_on_.pop_back();
    go_on(rank);
  }
}

/// Takes the rank's steps until one needs a copy with an unknown end.
void GradualCall::go_on(std::size_t rank) {
  Rank& mine = by_rank_[rank];
  for (;;) {
    const auto step = static_cast<std::size_t>(mine.step);
    const std::size_t number = schedule_.kind_of[step];
    const UniformStep& same = schedule_.kinds[number].step;
    if (mine.sends == mine.step) {
      const Length& length = lengths_[number * ranks_ + rank];
      const std::int64_t begin = std::max(mine.stream, mine.last);
      if (length.is_simulated) {
        listener_.send_begins(static_cast<int>(rank), static_cast<int>(receiver(rank, same)),
                              part_ * same.parts, begin);
        return;
      }
      note_end(rank, later_ps(begin, length.copy));
    }
    const std::size_t shift = static_cast<std::size_t>(same.shift) % ranks_;
    const std::size_t from = rank >= shift ? rank - shift : rank + ranks_ - shift;
    if (by_rank_[from].sends <= mine.step) return;  // its end lets this one go on
    receive(rank, from);
    if (static_cast<std::size_t>(++mine.step) < steps_) continue;
    --left_;
    if (same.arrival == Arrival::adds) listener_.summed(static_cast<int>(rank), mine.last);
    return;
  }
}

std::size_t GradualCall::receiver(std::size_t rank, const UniformStep& step) const {
  const std::size_t to = rank + static_cast<std::size_t>(step.shift) % ranks_;
  return to < ranks_ ? to : to - ranks_;
}

/// The rank's copy of this step ends then.
void GradualCall::note_end(std::size_t rank, std::int64_t end_ps) {
  Rank& mine = by_rank_[rank];
  const auto step = static_cast<std::size_t>(mine.step);
  ends_[rank * steps_ + step] = end_ps;
  ++mine.sends;
  const UniformStep& same = schedule_.kinds[schedule_.kind_of[step]].step;
  const std::size_t to = receiver(rank, same);
  const Rank& other = by_rank_[to];
  // it has sent in this step too, and waits
  if (other.step == mine.step && other.sends > other.step && to != rank)
    may_go_on_.push_back(static_cast<std::uint32_t>(to));
  if (step + 1 < steps_) return;
  listener_.last_sent(static_cast<int>(rank), end_ps);
  // the partner has its result then, even if it has not come so far itself
  if (same.arrival == Arrival::replaces) listener_.summed(static_cast<int>(to), end_ps);
}

void GradualCall::receive(std::size_t rank, std::size_t from) {
  Rank& mine = by_rank_[rank];
  const auto step = static_cast<std::size_t>(mine.step);
  const std::size_t number = schedule_.kind_of[step];
  const std::int64_t sent = ends_[rank * steps_ + step], arrived = ends_[from * steps_ + step];
  if (schedule_.kinds[number].step.arrival == Arrival::adds) {
    mine.stream = mine.last =
        later_ps(std::max(sent, arrived), lengths_[number * ranks_ + rank].sum);
  } else {
    mine.stream = sent;
    mine.last = arrived;
  }
}

}  // namespace paceline
