// SPDX-License-Identifier: MIT
#include "sim/round_tape.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "training/runtime/clock_end.hpp"

namespace paceline {
namespace {

/// Mixes a number into a hash (the finaliser of SplitMix64: Steele, Lea & Flood 2014).
std::uint64_t mix(std::uint64_t hash, std::int64_t number) {
  hash = (hash ^ static_cast<std::uint64_t>(number)) + 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

}  // namespace

bool RoundTape::suits(const Plan& plan, double variation) {
  // loaders may be ahead by more rounds than a tape has
  return !plan.input && !plan.uneven && !plan.validation && !plan.checkpoint && plan.takes_all() &&
         plan.rule.adaptation.window == 0 && !plan.delay && !plan.backward_delay &&
         !plan.link_delay && !plan.fetch_turn && !plan.mortality.lifetime && variation == 0 &&
         plan.updates > kRounds;
}

RoundTape::RoundTape(const Plan& plan)
    : marker_(plan.shards > 0 && !plan.replicas ? plan.server(0) : 0),
      workers_(plan.workers),
      steps_(plan.rule.steps()),
      borders_(1) {}

bool RoundTape::repeats() const {
  if (static_cast<std::int64_t>(borders_.size()) <= kRounds) return false;
  const auto events_of = [this](std::int64_t round) {
    const auto at = static_cast<std::size_t>(round);
    const std::size_t first = borders_[at - 1].events;
    return std::span(events_).subspan(first, borders_[at].events - first);
  };
  const std::span<const Event> last = events_of(kLast);
  if (!in_step(last)) return false;
  const std::int64_t period = period_ps();
  for (std::int64_t round = kLast - kCompared + 1; round < kLast; ++round) {
    const auto at = static_cast<std::size_t>(round);
    if (borders_[at].at_ps - borders_[at - 1].at_ps != period) return false;
    if (borders_[at].operations != borders_[kLast].operations) return false;
    const std::span<const Event> events = events_of(round);
    const auto same = [&](const Event& a, const Event& b) { return moved(a, kLast - round) == b; };
    if (!std::ranges::equal(events, last, same)) return false;
  }
  return true;
}

/// Whether a round has one round of mini-batches of every worker. Independent workers of unequal
/// speed are in different rounds at the same time.
bool RoundTape::in_step(std::span<const Event> round) const {
  std::vector<std::int64_t> begun(static_cast<std::size_t>(workers_));
  for (const Event& event : round) {
    if (event.kind == Kind::begun) ++begun[static_cast<std::size_t>(event.role)];
  }
  return std::ranges::all_of(begun, [this](std::int64_t steps) { return steps == steps_; });
}

bool RoundTape::play(Observer& observer, std::int64_t more) const {
  const std::int64_t period = std::max<std::int64_t>(1, period_ps());
  const std::int64_t fit = (kEndOfClock - borders_.back().at_ps) / period;
  if (more > fit) throw ClockEnd("update " + std::to_string(kRounds + fit + 1) + " is made");
  if (more == fit) return false;  // what follows the last update may not fit
  const std::size_t begin = borders_[kLast - 1].events;
  const std::size_t end = borders_[kLast].events;
  play(observer, 0, end, 0);
  for (std::int64_t again = 1; again <= more; ++again) play(observer, begin, end, again);
  play(observer, end, events_.size(), more);
  return true;
}

std::int64_t RoundTape::period_ps() const {
  return borders_[kLast].at_ps - borders_[kLast - 1].at_ps;
}

RoundTape::Event RoundTape::moved(Event event, std::int64_t rounds) const {
  const std::int64_t later = event.kind == Kind::accepted ? 0 : rounds * period_ps();
  event.begin_ps += later;
  event.end_ps += later;
  if (event.step >= 0) event.step += rounds * steps_;
  if (event.version >= 0) event.version += rounds;
  if (event.applied >= 0) event.applied += rounds;
  return event;
}

void RoundTape::play(Observer& observer, std::size_t first, std::size_t last,
                     std::int64_t rounds) const {
  for (std::size_t i = first; i < last; ++i) play(observer, moved(events_[i], rounds));
}

void RoundTape::play(Observer& observer, const Event& event) const {
  const Instant begin{event.begin_ps};
  const Instant end{event.end_ps};
  switch (event.kind) {
    case Kind::begun:
      return observer.begun(event.role, event.step, begin);
    case Kind::span:
      return observer.span({event.role, event.step}, event.activity, begin, end);
    case Kind::gradient_computed:
      return observer.gradient_computed({event.role, event.step}, begin,
                                        std::numeric_limits<double>::quiet_NaN());
    case Kind::accepted:
      return observer.accepted(event.role, event.step, event.version, event.applied);
    case Kind::cancelled:
      return observer.cancelled(event.role, event.step, event.version, begin);
    case Kind::updated:
      return observer.updated(event.role, event.version, begin);
    case Kind::operation:
      return observer.operation({event.role, event.stream}, commands_[event.command], begin, end);
  }
}

// ---- recording

void RoundTape::begun(RoleId worker, std::int64_t step, Instant at) {
  add({.kind = Kind::begun, .role = worker, .step = step, .begin_ps = at.ps, .end_ps = at.ps});
}

void RoundTape::span(WorkId work, Activity activity, Instant begin, Instant end) {
  add({.kind = Kind::span,
       .activity = activity,
       .role = work.worker,
       .step = work.step,
       .begin_ps = begin.ps,
       .end_ps = end.ps});
}

void RoundTape::gradient_computed(WorkId work, Instant at, double /*loss*/) {
  add({.kind = Kind::gradient_computed,
       .role = work.worker,
       .step = work.step,
       .begin_ps = at.ps,
       .end_ps = at.ps});
}

void RoundTape::accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                         std::int64_t applied) {
  add({.kind = Kind::accepted,
       .role = worker,
       .step = step,
       .version = computed,
       .applied = applied});
}

void RoundTape::cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) {
  add({.kind = Kind::cancelled,
       .role = worker,
       .step = step,
       .version = version,
       .begin_ps = at.ps,
       .end_ps = at.ps});
}

void RoundTape::updated(RoleId role, std::int64_t version, Instant at) {
  add({.kind = Kind::updated,
       .role = role,
       .version = version,
       .begin_ps = at.ps,
       .end_ps = at.ps});
  if (role != marker_) return;
  borders_.push_back({events_.size(), at.ps, hash_});
  hash_ = 0;
}

void RoundTape::operation(Stream stream, const Command& command, Instant begin, Instant end) {
  const std::int64_t border_ps = borders_.back().at_ps;
  hash_ = mix(hash_, stream.role * kStreamKinds + static_cast<int>(stream.kind));
  hash_ = mix(hash_, static_cast<std::int64_t>(command.what.index()));
  hash_ = mix(hash_, begin.ps - border_ps);
  hash_ = mix(hash_, end.ps - border_ps);
  if (stream.role < workers_) return;  // metrics count the operations of servers
  Event event{.kind = Kind::operation, .stream = stream.kind, .role = stream.role};
  event.begin_ps = begin.ps;
  event.end_ps = end.ps;
  event.command = commands_.size();
  commands_.push_back(command);
  add(event);
}

}  // namespace paceline
