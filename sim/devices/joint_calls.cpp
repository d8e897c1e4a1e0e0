// SPDX-License-Identifier: MIT
#include "sim/devices/joint_calls.hpp"

#include <algorithm>
#include <utility>

#include "training/runtime/instant.hpp"

namespace paceline {

JointCalls::JointCalls(const DeviceContext& context, Paths& paths, int ranks,
                       std::vector<double> sum)
    : context_(context),
      paths_(paths),
      size_(static_cast<std::size_t>(ranks)),
      clocks_(size_),
      made_(size_, 0),
      awaits_turn_(size_, 0) {
  costs_.sum = std::move(sum);
  costs_.decision_ps = to_ps(context.costs.decision);
  costs_.link = [this](int from, int to) {
    const Path& path = paths_.between(from, to);
    if (path.free) return ScheduleLink{};
    return ScheduleLink{path.latency_ps, path.per_byte, context_.network.rate_alone(path.route)};
  };
}

bool JointCalls::suits(const CollectiveSchedule& schedule) {
  const auto known = suits_.find(&schedule);
  if (known != suits_.end()) return known->second;
  std::map<ResourceId, int> users;
  const auto alone = [&](int from, int to) {
    const Path& path = paths_.between(from, to);
    if (path.free) return true;
    return std::ranges::all_of(context_.network.uses(path.route), [&](const Use& use) {
      return users.try_emplace(use.resource, from).first->second == from &&
             !context_.network.crowds(use.resource);
    });
  };
  const int ranks = schedule.ranks();
  bool fits = ranks > 1;
  for (int step = 0, shift = 0; fits && step < schedule.steps(); ++step) {
    const auto same = schedule.uniform(step);
    if (same && same->shift == shift) continue;  // the routes of the step before
    shift = same ? same->shift : 0;
    for (int rank = 0; fits && rank < ranks; ++rank) {
      const int to = same ? (rank + shift) % ranks : schedule.at(rank, step, 0).to;
      fits = to < 0 || alone(rank, to);
    }
  }
  return suits_[&schedule] = fits;
}

ScheduleTimes& JointCalls::times_of(const CollectiveSchedule& schedule) {
  std::unique_ptr<ScheduleTimes>& times = times_[&schedule];
  if (times == nullptr) times = std::make_unique<ScheduleTimes>(schedule, costs_);
  return *times;
}

std::int32_t JointCalls::make(const CollectiveCall& call, OpIndex sent) {
  const auto rank = static_cast<std::size_t>(call.rank);
  const std::int32_t number = made_[rank]++;
  const auto place = static_cast<std::size_t>(number - first_);
  if (place == calls_.size()) {
    Call& fresh = calls_.emplace_back();
    fresh.schedule = call.schedule;
    fresh.part = call.slice.bytes / call.schedule->parts();
    fresh.ends.resize(size_);
  }
  Ends& ends = calls_[place].ends[rank];
  ends.made_ps = context_.time.now().ps;
  ends.sent = sent;
  return number;
}

void JointCalls::note_ready(std::int32_t number, RoleId rank, OpIndex summed) {
  Call& call = calls_[static_cast<std::size_t>(number - first_)];
  Ends& ends = call.ends[static_cast<std::size_t>(rank)];
  ends.ready_ps = context_.time.now().ps;
  ends.summed = summed;
  ++call.ready;
  while (!calls_.empty() && calls_.front().ready == size_) {
    carry_out(calls_.front());
    calls_.pop_front();
    ++first_;
    for (std::size_t waiting = 0; waiting < size_; ++waiting) {
      if (awaits_turn_[waiting] != 0 && carried_out(made_[waiting] - 1))
        take_turn(static_cast<RoleId>(waiting));
    }
  }
}

bool JointCalls::has_turn(RoleId role) const {
  const auto rank = static_cast<std::size_t>(role);
  if (costs_.decision_ps == 0) return true;
  return carried_out(made_[rank] - 1) && clocks_.host[rank] <= context_.time.now().ps;
}

void JointCalls::await_turn(RoleId role) {
  const auto rank = static_cast<std::size_t>(role);
  if (carried_out(made_[rank] - 1)) return take_turn(role);
  awaits_turn_[rank] = 1;
}

void JointCalls::take_turn(RoleId role) {
  const auto rank = static_cast<std::size_t>(role);
  awaits_turn_[rank] = 0;
  context_.time.push(EventKind::decision, std::max(clocks_.host[rank], context_.time.now().ps),
                     static_cast<std::uint32_t>(role));
}

std::uint64_t JointCalls::copies() const {
  std::int64_t all = 0;
  for (const auto& [schedule, times] : times_) all += times->copies();
  return static_cast<std::uint64_t>(all);
}

void JointCalls::carry_out(const Call& call) {
  for (std::size_t rank = 0; rank < size_; ++rank) {
    const Ends& ends = call.ends[rank];
    clocks_.last[rank] = clocks_.sent[rank] = ends.ready_ps;
    clocks_.host[rank] = std::max(clocks_.host[rank], ends.made_ps);
  }
  times_of(*call.schedule).carry_out(call.part, clocks_);
  for (std::size_t rank = 0; rank < size_; ++rank) {
    end(call.ends[rank].summed, clocks_.last[rank]);
    end(call.ends[rank].sent, clocks_.sent[rank]);
  }
}

/// An end that was over earlier has no effect before now, so that it may be now.
void JointCalls::end(OpIndex op, std::int64_t at_ps) {
  context_.time.push_in_lane(0, EventKind::timer, std::max(at_ps, context_.time.now().ps), op,
                             ++context_.operations[op].generation);
}

}  // namespace paceline
