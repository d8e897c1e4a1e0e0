// SPDX-License-Identifier: MIT
#include "sim/lanes/lane_machine.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "training/runtime/clock_end.hpp"
#include "training/strategies/collectives/run_schedule.hpp"

namespace paceline {

LaneMachine::LaneMachine(const Machine& machine, const Costs& costs, const ScheduleCosts& links,
                         const std::vector<int>& vertices, const Plan& plan, std::size_t lanes)
    : costs_(costs),
      plan_(plan),
      lanes_(lanes),
      layers_(costs),
      lengths_(machine, costs, layers_, vertices, plan.workers),
      library_(machine, costs, vertices, plan.workers),
      compute_(costs, layers_, lengths_, library_, lanes),
      report_(plan.observer, plan.workers / static_cast<int>(lanes)),
      host_(std::make_shared<LaneTimes>(lanes)),
      push_(host_),
      clocks_(lanes),
      links_(links) {}

/// Draws are of all workers: a delay of this plan only notes which one the machine has to take.
Plan LaneMachine::plan_of_all() const {
  Plan all = plan_;
  const auto noting = [this](const LaneDraw& draw) -> LaneDraw {
    if (!draw) return draw;
    return [this, &draw](RoleId, std::int64_t step) {
      draw_ = {&draw, step};
      return Seconds{};
    };
  };
  all.delay = noting(plan_.delay);
  all.backward_delay = noting(plan_.backward_delay);
  all.link_delay = noting(plan_.link_delay);
  return all;
}

void LaneMachine::run(Task<> program) {
  at_ = program.handle();
  while (!program.done()) at_.resume();
  program.rethrow();
  evaluate(queued_.size());
  check_clock();
}

/// Throws ClockEnd if the host awaits an end beyond the range of the clock, where times saturate.
void LaneMachine::check_clock() const {
  if (end_ps() == kEndOfClock)
    throw ClockEnd("mini-batch " + std::to_string(last_step_ + 1) + " ends");
}

std::int64_t LaneMachine::copies() const {
  std::int64_t all = library_.flows();
  for (const auto& [schedule, times] : schedules_) all += times->copies();
  return all;
}

std::int64_t LaneMachine::end_ps() const {
  return *std::ranges::max_element(*host_);
}

void LaneMachine::refuse(const std::string& command) {
  throw std::logic_error("workers that run in lanes have no " + command);
}

Instant LaneMachine::now() const {
  refuse("one time");
}

Token LaneMachine::arrival(RoleId, RoleId) {
  refuse("arrivals of their own");
}

Message LaneMachine::take_message(RoleId) {
  refuse("message");
}

// ---- tokens

Token LaneMachine::add(Times times) {
  times_.push_back(std::move(times));
  return {first_token_ + static_cast<std::uint32_t>(times_.size()) - 1, 1};
}

const LaneMachine::Times& LaneMachine::times_of(Token token) {
  if (token.slot() < first_token_) refuse("use for an operation that ended long ago");
  if (is_queued(token)) evaluate_through(token);
  return times_[token.slot() - first_token_];
}

/// The program awaits `token`, and will not use an earlier one again.
void LaneMachine::forget_before(Token token) {
  const std::uint32_t kept = queued_.empty() ? token.slot() : std::min(token.slot(), first_queued_);
  for (; first_token_ < kept; ++first_token_) times_.pop_front();
}

LaneRow LaneMachine::latest_of(const After& after) {
  LaneRow latest;
  for (const Token token : after) {
    if (token.slot() == 0) continue;
    const LaneRow& ends = times_of(token).ends;
    if (latest == nullptr) {
      latest = ends;
      continue;
    }
    auto both = std::make_shared<LaneTimes>(*latest);
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      (*both)[lane] = std::max((*both)[lane], (*ends)[lane]);
    latest = std::move(both);
  }
  return latest;
}

// ---- operations

Token LaneMachine::submit(Stream stream, const Command& command, const After& after) {
  last_step_ = std::max(last_step_, command.work.step);
  LaneOperation operation;
  operation.command = command;
  operation.queued = host_;
  if (command.is<Command::Delay>()) {
    const Draw draw = std::exchange(draw_, {});
    operation.draw = draw.of;
    operation.step = draw.step;
  }
  if (stream.kind == StreamKind::compute) {
    std::size_t count = 0;
    for (const Token token : after) {
      if (token.slot() == 0 || is_queued(token)) continue;  // it comes first on the same streams
      operation.after[count++] = times_of(token).ends;
    }
    const Token token = add({});
    if (queued_.empty()) first_queued_ = token.slot();
    queued_.push_back(std::move(operation));
    return token;
  }
  if (const auto* collective = command.as<Command::Collective>();
      collective != nullptr && stream.kind == StreamKind::push)
    return call_library(*collective, after);
  if (stream.kind != StreamKind::push || !command.is<Command::Delay>())
    refuse("operation of this kind");
  auto begins = std::make_shared<LaneTimes>(push_begins(after));
  auto ends = std::make_shared<LaneTimes>(lanes_);
  for (std::size_t lane = 0; lane < lanes_; ++lane)
    (*ends)[lane] = compute_.delayed(operation, lane, (*begins)[lane]);
  push_ = ends;
  return add({std::move(begins), std::move(ends)});
}

/// When each worker's push stream comes to an operation.
LaneTimes LaneMachine::push_begins(const After& after) {
  LaneTimes begins = *push_;
  const LaneRow latest = latest_of(after);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    begins[lane] = std::max(begins[lane], (*host_)[lane]);
    if (latest != nullptr) begins[lane] = std::max(begins[lane], (*latest)[lane]);
  }
  return begins;
}

Token LaneMachine::call_library(const Command::Collective& collective, const After& after) {
  auto begins = std::make_shared<LaneTimes>(push_begins(after));
  const std::int64_t end = library_.call(collective, *std::ranges::max_element(*begins));
  push_ = std::make_shared<LaneTimes>(lanes_, end);
  return add({std::move(begins), push_});
}

/// Operations on the compute streams up to that of `token`: what follows it may run beside a call
/// of the library that is made only now.
void LaneMachine::evaluate_through(Token token) {
  const auto first = times_.begin() + (first_queued_ - first_token_);
  const auto last = times_.begin() + (token.slot() - first_token_ + 1);
  const auto not_known = [](const Times& times) { return times.ends == nullptr; };
  // threads that launch kernels take those of several workers in the order of time
  evaluate(costs_.launches_together()
               ? queued_.size()
               : static_cast<std::size_t>(std::count_if(first, last, not_known)));
}

/// The first `count` of the operations on the compute streams: all tokens from `first_queued_` on
/// that have no times are theirs, in this order.
void LaneMachine::evaluate(std::size_t count) {
  const std::span<LaneOperation> operations = std::span(queued_).first(count);
  compute_.evaluate(operations);
  std::size_t place = first_queued_ - first_token_;
  const auto next = [&] {
    while (place < times_.size() && times_[place].ends != nullptr) ++place;
  };
  for (LaneOperation& operation : operations) {
    report_.add(operation);
    next();
    times_[place] = {std::make_shared<const LaneTimes>(std::move(operation.begins)),
                     std::make_shared<const LaneTimes>(std::move(operation.ends))};
  }
  next();
  first_queued_ = first_token_ + static_cast<std::uint32_t>(place);
  queued_.erase(queued_.begin(), queued_.begin() + static_cast<std::ptrdiff_t>(count));
}

std::optional<Reduced> LaneMachine::whole_call(const CollectiveCall& call, Token ready) {
  const LaneTimes* const part = ready.slot() == 0 ? nullptr : times_of(ready).ends.get();
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const std::int64_t made = (*host_)[lane];
    clocks_.last[lane] = clocks_.sent[lane] =
        part == nullptr ? made : std::max((*part)[lane], made);
    clocks_.host[lane] = made;
  }
  std::unique_ptr<ScheduleTimes>& times = schedules_[call.schedule];
  if (times == nullptr) times = std::make_unique<ScheduleTimes>(*call.schedule, links_);
  times->carry_out(call.slice.bytes / call.schedule->parts(), clocks_);
  host_ = std::make_shared<const LaneTimes>(clocks_.host);
  const auto summed = std::make_shared<const LaneTimes>(clocks_.last);
  const auto sent = std::make_shared<const LaneTimes>(clocks_.sent);
  return Reduced{add({summed, summed}), add({sent, sent})};
}

// ---- the hosts

void LaneMachine::wait_for(RoleId, Token token, std::coroutine_handle<> at) {
  const Times times = times_of(token);
  auto hosts = std::make_shared<LaneTimes>(*host_);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    std::int64_t& host = (*hosts)[lane];
    host = links_.host_after(host, (*times.ends)[lane], (*times.begins)[lane]);
  }
  host_ = std::move(hosts);
  check_clock();
  forget_before(token);
  at_ = at;
}

}  // namespace paceline
