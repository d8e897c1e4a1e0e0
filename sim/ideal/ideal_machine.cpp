// SPDX-License-Identifier: MIT
#include "sim/ideal/ideal_machine.hpp"

#include <algorithm>
#include <limits>

#include "training/runtime/operation_report.hpp"

namespace paceline {

IdealMachine::IdealMachine(const Machine& machine, const Costs& costs,
                           const std::vector<int>& vertices, int workers, Observer* observer)
    : costs_(costs),
      observer_(observer),
      workers_(workers),
      layers_(costs),
      lengths_(machine, costs, layers_, vertices, workers),
      places_(vertices.size()),
      roles_(static_cast<int>(vertices.size())) {}

// ---- queueing

/// Of what takes time: layers and delays.
double IdealMachine::length_ps(Stream stream, const Command& command) const {
  switch (command.what.index()) {
    case Command::number_of<Command::Delay>():
      return static_cast<double>(command.as<Command::Delay>()->ps);
    case Command::number_of<Command::Compute>():
      return lengths_.arithmetic_ps(stream, command);
    case Command::number_of<Command::Copy>():
      if (command.as<Command::Copy>()->announced) throw NeedsEvents("an announced copy");
      return 0;
    case Command::number_of<Command::Mark>():
      if (command.as<Command::Mark>()->about != Command::Mark::About::nothing)
        throw NeedsEvents("a mark about input or a checkpoint");
      return 0;
    case Command::number_of<Command::Collective>():
    case Command::number_of<Command::StorageRequest>():
    case Command::number_of<Command::Prepare>():
      throw NeedsEvents("work on something that is shared");
    default:
      return 0;
  }
}

Token IdealMachine::submit(Stream stream, const Command& command, const After& after) {
  Place& place = place_of(stream.role);
  std::int64_t& free_ps = place.free_ps[static_cast<std::size_t>(stream.kind)];
  const std::int64_t begin_ps = std::max(latest_of(after), free_ps);
  free_ps = begin_ps;
  if (is_cancelled(place, command.work)) return token_of(begin_ps);
  const auto* delay = command.as<Command::Delay>();
  if (delay != nullptr || command.is<Command::Compute>()) {
    const std::int64_t long_ps =
        delay != nullptr ? delay->ps : round_ps(length_ps(stream, command));
    free_ps = later_ps(begin_ps, long_ps);
    note(stream, command, begin_ps, free_ps);
  } else {
    length_ps(stream, command);
    report_change(stream, command, begin_ps);
  }
  return token_of(free_ps);
}

/// Layers that take no time are not seen, but for the last of a mini-batch.
void IdealMachine::note(Stream stream, const Command& command, std::int64_t begin_ps,
                        std::int64_t end_ps) {
  Place& place = place_of(stream.role);
  const auto* compute = command.as<Command::Compute>();
  const bool seen = observer_ != nullptr && compute != nullptr && ends_gradient(compute->layers);
  if (begin_ps == end_ps && !seen) return;
  KnownWork work{.begin_ps = begin_ps, .end_ps = end_ps, .step = command.work.step};
  if (compute != nullptr) {
    work.layers = compute->layers;
  } else {
    work.kind = command.is_timer() ? KnownWork::Kind::link_delay : KnownWork::Kind::delay;
  }
  place.works.push_back(work);
  if (begin_ps > now_.ps || command.work.worker < 0 || work.step <= place.begun) return;
  place.begun = work.step;
  report_begun(stream.role, work.step);
}

/// Of weights, which is made at once; a worker's own, on which no version depends, is not seen.
void IdealMachine::report_change(Stream stream, const Command& command, std::int64_t at_ps) {
  if (observer_ == nullptr) return;
  const auto* update = command.as<Command::Update>();
  const auto* assign = command.as<Command::Assign>();
  if (update == nullptr && assign == nullptr) return;
  const std::int64_t version = update != nullptr ? update->moment.version : assign->version;
  if (at_ps == now_.ps) {
    report_operation(*observer_, workers_, stream, command, now_, now_, true,
                     [](RoleId) { return 0.0; });
  } else if (version > 0 || stream.role >= workers_) {
    throw NeedsEvents("a version that is made later");
  }
}

void IdealMachine::report_begun(RoleId worker, std::int64_t step) {
  if (observer_ != nullptr) observer_->begun(worker, step, now_);
}

void IdealMachine::report_updated(RoleId worker, std::int64_t version) {
  if (observer_ != nullptr) observer_->updated(worker, version, now_);
}

// ---- messages

void IdealMachine::send(RoleId to, const Message& message, const After& after, WorkId work) {
  const std::int64_t at_ps = latest_of(after);
  MessagePool::Entry sent{to, message, work};
  if (work.worker >= 0) sent.message.loss = std::numeric_limits<float>::quiet_NaN();
  if (at_ps == now_.ps) return deliver(sent);
  events_.push(at_ps, static_cast<std::uint8_t>(EventKind::message), messages_.add(sent));
}

void IdealMachine::deliver(const MessagePool::Entry& sent) {
  if (sent.work.worker >= 0 && is_cancelled(place_of(sent.work.worker), sent.work)) return;
  report_ended(sent.to);
  if (roles_.deliver(sent.to, sent.message)) roles_.wake(sent.to);
}

void IdealMachine::wait_for(RoleId role, Token token, std::coroutine_handle<> at) {
  roles_.wait_for(role, token, at);
  events_.push(time_of(token), static_cast<std::uint8_t>(EventKind::wake),
               static_cast<std::uint32_t>(role));
}

// ---- time

void IdealMachine::run() {
  for (;;) {
    roles_.run_ready();
    if (events_.empty()) break;
    together_.assign(1, events_.pop());
    now_.ps = together_.front().time_ps;
    if (now_.ps == kEndOfClock) throw NeedsEvents("the end of the clock");
    while (!events_.empty() && events_.top().time_ps == now_.ps) together_.push_back(events_.pop());
    if (together_.size() > 1) put_in_order();
    for (std::size_t i = 0; i < together_.size(); ++i) {
      if (i > 0) roles_.run_ready();
      happen(together_[i]);
    }
  }
  if (roles_.done() < roles_.started()) throw NeedsEvents("a deadlock");
  for (std::size_t role = 0; role < places_.size(); ++role) {
    for (const KnownWork& work : places_[role].works)
      report(static_cast<RoleId>(role), work, work.end_ps, true);
  }
}

void IdealMachine::happen(const Event& event) {
  report_ended(sender_of(event));
  if (static_cast<EventKind>(event.what()) == EventKind::wake)
    return roles_.wake(static_cast<RoleId>(event.subject));
  const MessagePool::Entry sent = messages_.take(event.subject);
  deliver(sent);
}

RoleId IdealMachine::sender_of(const Event& event) const {
  if (static_cast<EventKind>(event.what()) == EventKind::wake)
    return static_cast<RoleId>(event.subject);
  return messages_[event.subject].message.from;
}

// ---- events of one instant

void IdealMachine::put_in_order() {
  std::ranges::sort(together_,
                    [this](const Event& a, const Event& b) { return comes_before(a, b); });
}

/// Work that began earlier was queued earlier for its end; where both began at one instant, that
/// holds for what each of them followed.
bool IdealMachine::comes_before(const Event& a, const Event& b) const {
  const KnownWorks& of_a = places_[static_cast<std::size_t>(sender_of(a))].works;
  const KnownWorks& of_b = places_[static_cast<std::size_t>(sender_of(b))].works;
  std::optional<std::size_t> in_a = ends_at(of_a, now_.ps, of_a.size());
  std::optional<std::size_t> in_b = ends_at(of_b, now_.ps, of_b.size());
  while (in_a && in_b) {
    const std::int64_t began_a = of_a[*in_a].begin_ps, began_b = of_b[*in_b].begin_ps;
    if (began_a != began_b) return began_a < began_b;
    in_a = ends_at(of_a, began_a, *in_a);
    in_b = ends_at(of_b, began_b, *in_b);
  }
  if (in_a || in_b) throw NeedsEvents("the order of two events at one instant");
  return a.rank < b.rank;
}

// ---- reports

void IdealMachine::report_ended(RoleId role) {
  KnownWorks& works = place_of(role).works;
  std::size_t ended = 0;
  for (; ended < works.size() && works[ended].end_ps <= now_.ps; ++ended)
    report(role, works[ended], works[ended].end_ps, true);
  works.erase(works.begin(), works.begin() + static_cast<std::ptrdiff_t>(ended));
}

void IdealMachine::report(RoleId role, const KnownWork& work, std::int64_t end_ps, bool whole) {
  if (observer_ == nullptr || work.kind == KnownWork::Kind::link_delay) return;
  Place& place = place_of(role);
  if (work.step > place.begun) {
    place.begun = work.step;
    observer_->begun(role, work.step, Instant{work.begin_ps});
  }
  report_operation(*observer_, workers_, {role, StreamKind::compute}, work.command(role),
                   Instant{work.begin_ps}, Instant{end_ps}, whole,
                   [](RoleId) { return std::numeric_limits<double>::quiet_NaN(); });
}

/// When work that is cancelled now comes to its end: a delay at once, layers at a border.
std::int64_t IdealMachine::cut_ps(RoleId worker, const KnownWork& work) const {
  if (work.kind != KnownWork::Kind::layers) return now_.ps;
  const Command command = work.command(worker);
  const double total_ps = lengths_.arithmetic_ps({worker, StreamKind::compute}, command);
  const double left_ps = total_ps - static_cast<double>(now_.ps - work.begin_ps);
  const LayerClock::Cut cut = layers_.cut(work.layers, command.work, total_ps, left_ps);
  return later_ps(now_.ps, round_ps(cut.left_ps));
}

/// The plan cancels nothing but at the end of the run (run_on_ideal.hpp), so that no work follows.
void IdealMachine::cancel(WorkId work) {
  Place& place = place_of(work.worker);
  place.cancelled = std::max(place.cancelled, work.step);
  bool first = true;
  for (const KnownWork& one : place.works) {
    if (one.begin_ps > now_.ps) break;
    const bool may_have_ended = one.takes_time() && one.end_ps == now_.ps;
    const bool may_have_begun = !first && one.begin_ps == now_.ps;
    if (may_have_begun || (may_have_ended && &one != &place.works.back()))
      throw NeedsEvents("the order of an end and a cancellation at one instant");
    const bool whole = one.end_ps < now_.ps;
    report(work.worker, one,
           whole            ? one.end_ps
           : may_have_ended ? now_.ps
                            : cut_ps(work.worker, one),
           whole);
    first = false;
  }
  place.works.clear();
}

}  // namespace paceline
