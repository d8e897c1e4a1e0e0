// SPDX-License-Identifier: MIT
#include "sim/ideal/ideal_machine.hpp"

#include <algorithm>
#include <limits>

#include "training/runtime/operation_report.hpp"

namespace paceline {

IdealMachine::IdealMachine(const Machine& machine, const Costs& costs,
                           const std::vector<int>& vertices, int workers, Observer* observer)
    : observer_(observer),
      workers_(workers),
      layers_(costs),
      lengths_(machine, costs, layers_, vertices, workers),
      places_(vertices.size()),
      roles_(static_cast<int>(vertices.size())),
      messages_(vertices.size()) {
  note_always_free<Command::Copy>();
  note_always_free<Command::Publish>();
  note_always_free<Command::Reduce>();
  if (observer != nullptr) return;
  note_always_free<Command::Update>();
  if (layers_.all_free()) note_always_free<Command::Compute>();
}

// ---- queueing

/// Throws NeedsEvents for a command that takes time and is neither layers nor a delay.
void IdealMachine::check_that_free(const Command& command) {
  if (const auto* copy = command.as<Command::Copy>(); copy != nullptr && copy->announced)
    throw NeedsEvents("an announced copy");
  if (const auto* mark = command.as<Command::Mark>())
    if (mark->about != Command::Mark::About::nothing)
      throw NeedsEvents("a mark about input or a checkpoint");
  if (command.is<Command::Collective>() || command.is<Command::StorageRequest>() ||
      command.is<Command::Prepare>())
    throw NeedsEvents("work on something that is shared");
}

Token IdealMachine::submit(Stream stream, const Command& command, const After& after) {
  std::int64_t& free_ps = free_of(stream);
  const std::int64_t begin_ps = std::max(latest_of(after), free_ps);
  free_ps = begin_ps;
  if (is_cancelled(command.work)) return token_of(begin_ps);
  if (const auto* delay = command.as<Command::Delay>()) {
    free_ps = later_ps(begin_ps, delay->ps);
    note(stream, command, begin_ps, free_ps);
  } else if (command.is<Command::Compute>()) {
    free_ps = later_ps(begin_ps, round_ps(lengths_.arithmetic_ps(stream, command)));
    note(stream, command, begin_ps, free_ps);
  } else {
    check_that_free(command);
    if (observer_ != nullptr) report_change(stream, command, begin_ps);
  }
  return token_of(free_ps);
}

bool IdealMachine::find_place(Stream stream, const After& after, Token& place) {
  std::int64_t& free_ps = free_of(stream);
  free_ps = std::max(latest_of(after), free_ps);
  place = token_of(free_ps);
  return true;
}

namespace {

/// Of mini-batches with few ranges of layers: a delay, forward, backward. There is no more
/// memory for them than their number.
constexpr std::size_t kFewWorks = 3;

}  // namespace

/// Layers that take no time are not seen, but for the last of a mini-batch.
void IdealMachine::note(Stream stream, const Command& command, std::int64_t begin_ps,
                        std::int64_t end_ps) {
  Place& place = place_of(stream.role);
  const auto* compute = command.as<Command::Compute>();
  const bool seen = observer_ != nullptr && compute != nullptr && ends_gradient(compute->layers);
  if (begin_ps == end_ps && !seen) return;
  if (command.work.step > std::numeric_limits<std::int32_t>::max())
    throw NeedsEvents("a mini-batch of a number above 2^31");
  KnownWork work;
  work.begin_ps = begin_ps;
  work.end_ps = end_ps;
  work.step = static_cast<std::int32_t>(command.work.step);
  if (compute != nullptr) {
    work.pass = compute->layers.pass;
    work.first_layer = compute->layers.first;
    work.last_layer = compute->layers.last;
  } else {
    work.kind =
        delays_arithmetic(stream, command) ? KnownWork::Kind::delay : KnownWork::Kind::link_delay;
  }
  if (place.works.size() < kFewWorks) place.works.reserve(place.works.size() + 1);
  place.works.push_back(work);
  if (begin_ps > now_.ps || work.kind == KnownWork::Kind::link_delay || work.step <= place.begun)
    return;
  place.begun = work.step;
  report_begun(stream.role, work.step);
}

/// Of weights, which is made at once; a worker's own, on which no version depends, is not seen.
void IdealMachine::report_change(Stream stream, const Command& command, std::int64_t at_ps) {
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
  if (at_ps == now_.ps && work.worker < 0) return deliver(to, message);
  const std::uint32_t number = messages_.reserve();
  MessagePool::Entry& sent = messages_[number];
  sent.to = to;
  sent.message = message;
  sent.work.worker = work.worker;
  sent.work.step = work.step;
  if (work.worker >= 0) sent.message.loss = std::numeric_limits<float>::quiet_NaN();
  if (at_ps == now_.ps) return deliver(messages_.take(number));
  events_.push(at_ps, static_cast<std::uint8_t>(EventKind::message), number,
               static_cast<std::uint32_t>(message.from));
}

void IdealMachine::deliver(const MessagePool::Entry& sent) {
  if (!is_cancelled(sent.work)) deliver(sent.to, sent.message);
}

void IdealMachine::deliver(RoleId to, const Message& message) {
  report_ended(to);
  if (roles_.deliver(to, message)) roles_.wake(to);
}

void IdealMachine::wait_for(RoleId role, Token token, std::coroutine_handle<> at) {
  roles_.wait_for(role, token, at);
  const auto number = static_cast<std::uint32_t>(role);
  events_.push(time_of(token), static_cast<std::uint8_t>(EventKind::wake), number, number);
}

// ---- time

void IdealMachine::run() {
  for (;;) {
    roles_.run_ready();
    if (events_.empty()) break;
    const Event event = events_.pop();
    if (is_called_off(event)) continue;
    if (event.time_ps == kEndOfClock) throw NeedsEvents("the end of the clock");
    now_.ps = event.time_ps;
    fetch_ahead();
    if (events_.more_at(now_.ps)) {
      happen_together(event);
    } else {
      happen(event);
    }
  }
  if (roles_.done() < roles_.started()) throw NeedsEvents("a deadlock");
  for (std::size_t role = 0; role < places_.size(); ++role) {
    for (const KnownWork& work : places_[role].works)
      report(static_cast<RoleId>(role), work, work.end_ps, true);
  }
}

/// Time does not pass for a message that was called off with its mini-batch.
bool IdealMachine::is_called_off(const Event& event) const {
  return !cancelled_.empty() && kind_of(event) == EventKind::message &&
         is_cancelled(messages_[event.subject].work);
}

void IdealMachine::happen(const Event& event) {
  report_ended(role_of(event));
  if (kind_of(event) == EventKind::wake) return roles_.wake(role_of(event));
  deliver(messages_.take(event.subject));
}

namespace {

constexpr std::size_t kLine = 64;                 ///< bytes of a cache line
constexpr std::size_t kMostOfFrame = 16 * kLine;  ///< bytes of a program that are fetched

}  // namespace

/// Reads what the next events need into the cache, which does not hold very many roles. Far ahead
/// are the places of what an event needs, and nearer what lies there. Prefetches would be dropped
/// where the processor has to look the page up.
void IdealMachine::fetch_ahead() const {
  constexpr std::uint32_t kFar = 9, kNear = 5, kNext = 1;
  static_assert(kFar < EventQueue::kLookAhead);
  const auto fetch = [](const void* line) {
    static_cast<void>(*static_cast<const volatile std::byte*>(line));
  };
  if (const Event* event = events_.ahead(kFar)) {
    fetch(&places_[event->generation]);
    if (kind_of(*event) == EventKind::message) fetch(&messages_[event->subject]);
    for (const void* line : roles_.lines_of(role_of(*event))) fetch(line);
  }
  if (const Event* event = events_.ahead(kNear)) {
    const KnownWorks& works = places_[event->generation].works;
    if (!works.empty()) {
      fetch(&works.front());
      fetch(&works.back());
    }
    fetch(roles_.frame_of(role_of(*event)).data());
  }
  const Event* event = events_.ahead(kNext);
  if (event == nullptr) return prefetch_next();
  const std::span<const std::byte> frame = roles_.frame_of(role_of(*event));
  for (std::size_t at = kLine; at < std::min(frame.size(), kMostOfFrame); at += kLine)
    fetch(&frame[at]);
}

/// The same of few roles: their pages are known to the processor.
void IdealMachine::prefetch_next() const {
  const Event* event = events_.probably_next();
  if (event == nullptr) return;
  const KnownWorks& works = places_[event->generation].works;
  if (!works.empty()) __builtin_prefetch(&works.front());
  if (kind_of(*event) == EventKind::message) __builtin_prefetch(&messages_[event->subject]);
  for (const void* line : roles_.lines_of(role_of(*event))) __builtin_prefetch(line);
  const std::span<const std::byte> frame = roles_.frame_of(role_of(*event));
  for (std::size_t at = 0; at < std::min(frame.size(), kMostOfFrame); at += kLine)
    __builtin_prefetch(&frame[at]);
}

// ---- events of one instant

/// `first` and all others that have its time.
void IdealMachine::happen_together(const Event& first) {
  together_.assign(1, first);
  while (!events_.empty() && events_.top().time_ps == now_.ps) together_.push_back(events_.pop());
  std::ranges::sort(together_,
                    [this](const Event& a, const Event& b) { return comes_before(a, b); });
  for (const Event& event : together_) {
    happen(event);
    roles_.run_ready();
  }
}

/// Work that began earlier was queued earlier for its end; where both began at one instant, that
/// holds for what each of them followed.
bool IdealMachine::comes_before(const Event& a, const Event& b) const {
  const KnownWorks& of_a = places_[a.generation].works;
  const KnownWorks& of_b = places_[b.generation].works;
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
  if (works.empty()) return;
  std::size_t ended = 0;
  for (; ended < works.size() && works[ended].end_ps <= now_.ps; ++ended)
    report(role, works[ended], works[ended].end_ps, true);
  if (ended == works.size()) return works.clear();
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
  const LayerClock::Cut cut = layers_.cut(work.layers(), command.work, total_ps, left_ps);
  return later_ps(now_.ps, round_ps(cut.left_ps));
}

/// The plan cancels nothing but at the end of the run (run_on_ideal.hpp), so that no work follows.
void IdealMachine::cancel(WorkId work) {
  cancelled_.resize(static_cast<std::size_t>(workers_), -1);
  std::int64_t& last = cancelled_[static_cast<std::size_t>(work.worker)];
  last = std::max(last, work.step);
  Place& place = place_of(work.worker);
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
