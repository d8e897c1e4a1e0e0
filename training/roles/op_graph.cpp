// SPDX-License-Identifier: MIT
#include "training/roles/op_graph.hpp"

#include <algorithm>
#include <utility>

#include "training/roles/assertion.hpp"

namespace paceline {

OpGraph::OpGraph(int roles, int channels, int workers, Observer* observer)
    : ops_(1),
      tails_(static_cast<std::size_t>(roles) * kStreamKinds),
      running_(static_cast<std::size_t>(workers), 0),
      cancelled_(static_cast<std::size_t>(workers), -1),
      begun_(static_cast<std::size_t>(workers), -1),
      lives_(static_cast<std::size_t>(workers), std::uint16_t{0}),
      roles_(static_cast<std::size_t>(roles)),
      channels_(static_cast<std::size_t>(channels)),
      observer_(observer) {}

OpGraph::OpIndex OpGraph::allocate() {
  if (free_ops_.empty()) {
    ops_.add();
    return static_cast<OpIndex>(ops_.size() - 1);
  }
  const OpIndex op = free_ops_.back();
  free_ops_.pop_back();
  return op;
}

/// Makes `op` wait for `on`, unless that is complete already.
void OpGraph::depend(OpIndex op, Token on, bool on_hand_over) {
  if (complete(on)) return;
  std::uint32_t edge = free_edge_;
  if (edge == kNone) {
    edge = static_cast<std::uint32_t>(edges_.size());
    edges_.emplace_back();
  } else {
    free_edge_ = edges_[edge].next;
  }
  edges_[edge] = {op & 0x7fffffffU, on_hand_over ? 1U : 0U, ops_[on.slot].first_edge};
  ops_[on.slot].first_edge = edge;
  ++ops_[op].pending;
  wanted(on.slot);
}

/// Whether what is queued in `stream` begins after `token`'s operation has ended anyway.
bool OpGraph::is_behind(Stream stream, Token token) const {
  if (!keeps_stream_order() || complete(token)) return false;
  const Stream other = ops_[token.slot].stream;
  return other.role == stream.role && other.kind == stream.kind;
}

/// Makes `op` wait for `before` on the device where that can be, else here.
void OpGraph::follow(OpIndex op, Token before) {
  if (complete(before)) return;
  if (!device_orders(op, before.slot)) return depend(op, before);
  if (ops_[before.slot].state != State::handed_over) depend(op, before, true);
  must_await(op, before);
}

Token OpGraph::submit(Stream stream, const Command& command, After after) {
  Token& tail = tail_of(stream);
  if (is_free(stream, command)) {
    // What takes no time and follows one thing is that thing: no operation, no event.
    Token only{};
    int open = 0;
    const auto look = [&](Token token) {
      if (complete(token) || token == only) return;
      only = token;
      ++open;
    };
    look(tail);
    for (const Token token : after) look(token);
    if (open <= 1) {
      if (open == 1) tail = only;
      return only;
    }
  }
  const OpIndex index = allocate();
  Op& op = ops_[index];
  op.stream = stream;
  op.command = command;
  op.state = State::waiting;
  op.pending = 0;
  op.waiter = -1;
  const Token token{index, op.generation};
  if (!keeps_stream_order()) {
    depend(index, tail);
  } else if (!complete(tail) && ops_[tail.slot].state == State::waiting) {
    ops_[tail.slot].next_in_stream = index;
    ++ops_[index].pending;
  }
  for (const Token dependency : after) {
    if (is_behind(stream, dependency)) continue;
    device_orders_ ? follow(index, dependency) : depend(index, dependency);
  }
  tail_of(stream) = token;
  queued(index);
  if (ops_[index].pending == 0) start(index);
  return token;
}

void OpGraph::send(RoleId to, const Message& message, After after, WorkId work) {
  OpIndex index = 0;
  for (const Token dependency : after) {
    if (complete(dependency)) continue;
    if (index == 0) {
      index = allocate();
      Op& op = ops_[index];
      op.command.kind = Command::Kind::send;
      op.command.work = work;
      op.stream.role = to;
      op.message = message;
      op.state = State::waiting;
      op.pending = 0;
      op.waiter = -1;
    }
    depend(index, dependency);
  }
  if (index == 0 && !is_cancelled(work)) deliver(to, message);
}

/// Starts `op` and whatever becomes startable by operations that end at once.
void OpGraph::start(OpIndex first) {
  startable_.push_back(first);
  start_what_may();
}

void OpGraph::start_what_may() {
  if (starting_) return;
  starting_ = true;
  while (!startable_.empty()) {
    const OpIndex index = startable_.back();
    startable_.pop_back();
    Op& op = ops_[index];
    if (op.command.kind == Command::Kind::send) {
      const Message message = op.message;
      const RoleId to = op.stream.role;
      const bool dropped = is_cancelled(op.command.work);
      release(index);
      if (!dropped) deliver(to, message);
      continue;
    }
    let_next_begin(index);
    if (is_cancelled(op.command.work)) {
      release(index);
      continue;
    }
    op.state = State::running;
    const bool interruptible = op.stream.kind == StreamKind::compute && op.command.work.worker >= 0;
    if (interruptible) note_running(index, op.command.work);
    const Command& command = op.command;
    if (begin(index, op.stream, command)) {
      if (interruptible) running_[static_cast<std::size_t>(command.work.worker)] = 0;
      if (command.channel >= 0) arrived(command.channel);
      release(index);
    }
  }
  starting_ = false;
}

/// What follows in the stream may be handed to the device now, behind this.
void OpGraph::let_next_begin(OpIndex index) {
  const std::uint32_t next = ops_[index].next_in_stream;
  if (next == kNone) return;
  ops_[index].next_in_stream = kNone;
  // below what this one may still make startable: it must be handed over first
  if (--ops_[next].pending == 0) startable_.insert(startable_.begin(), next);
}

void OpGraph::note_running(OpIndex op, WorkId work) {
  running_[static_cast<std::size_t>(work.worker)] = op;
  if (!keeps_stream_order()) note_begun(work, now());
}

void OpGraph::note_begun(WorkId work, Instant at) {
  std::int64_t& last = begun_[static_cast<std::size_t>(work.worker)];
  if (observer_ == nullptr || work.step <= last) return;
  last = work.step;
  observer_->begun(work.worker, work.step, at);
}

/// Frees `op` and lets what waited for it go on.
void OpGraph::release(OpIndex index) {
  Op& op = ops_[index];
  ++op.generation;
  op.state = State::unused;
  const RoleId waiter = op.waiter;
  free_ops_.push_back(index);
  let_dependents_go(index);
  if (waiter >= 0) decide(waiter);
}

/// Lets what waited for `op` go on, in the order in which it was queued.
void OpGraph::let_dependents_go(OpIndex index) {
  std::uint32_t edge = ops_[index].first_edge;
  ops_[index].first_edge = kNone;
  // Edges were prepended; reverse them.
  std::uint32_t in_order = kNone;
  while (edge != kNone) {
    const std::uint32_t next = edges_[edge].next;
    edges_[edge].next = in_order;
    in_order = edge;
    edge = next;
  }
  const std::size_t mark = startable_.size();
  while (in_order != kNone) {
    const std::uint32_t next = edges_[in_order].next;
    const OpIndex dependent = edges_[in_order].dependent;
    edges_[in_order].next = free_edge_;
    free_edge_ = in_order;
    if (--ops_[dependent].pending == 0) startable_.push_back(dependent);
    in_order = next;
  }
  std::reverse(startable_.begin() + static_cast<std::ptrdiff_t>(mark), startable_.end());
}

/// Lets what waited only for the hand-over of `op` go on, in the order in which it was queued:
/// edges are prepended, and what may start is taken from the back.
void OpGraph::let_followers_go(OpIndex index) {
  std::uint32_t* link = &ops_[index].first_edge;
  while (*link != kNone) {
    const std::uint32_t edge = *link;
    if (edges_[edge].on_hand_over == 0) {
      link = &edges_[edge].next;
      continue;
    }
    *link = edges_[edge].next;
    edges_[edge].next = free_edge_;
    free_edge_ = edge;
    const OpIndex dependent = edges_[edge].dependent;
    if (--ops_[dependent].pending == 0) startable_.push_back(dependent);
  }
}

void OpGraph::note_handed_over(OpIndex index) {
  Op& op = ops_[index];
  PACELINE_ASSERT(op.state == State::running);
  op.state = State::handed_over;
  if (op.command.channel >= 0) bring(index);
  let_followers_go(index);
  start_what_may();
}

/// What arrives on a channel is known once its copy is handed over: copies of a channel are those
/// of one stream, so they end in that order.
void OpGraph::bring(OpIndex copy) {
  Channel& line = channels_[static_cast<std::size_t>(ops_[copy].command.channel)];
  const Token token = token_of(copy);
  if (sources_.size() < ops_.size()) {
    sources_.resize(ops_.size());
    arrivals_.resize(ops_.size());
  }
  if (line.expected.empty()) return line.coming.push(token);
  const OpIndex arrival = line.expected.pop();
  sources_[arrival] = token;
  arrivals_[copy] = token_of(arrival);
  ops_[arrival].state = State::handed_over;
  let_followers_go(arrival);
}

void OpGraph::finish(OpIndex index, Outcome outcome) {
  Op& op = ops_[index];
  PACELINE_ASSERT(op.state == State::running || op.state == State::handed_over);
  if (op.stream.kind == StreamKind::compute && op.command.work.worker >= 0) {
    OpIndex& running = running_[static_cast<std::size_t>(op.command.work.worker)];
    if (running == index) running = 0;
  }
  if (op.command.channel >= 0 && op.state == State::handed_over) {
    const Token arrival = arrivals_[index];
    arrivals_[index] = {};
    if (arrival.slot != 0) {
      sources_[arrival.slot] = {};
      release(arrival.slot);
    }
  } else if (op.command.channel >= 0 && outcome == Outcome::done) {
    arrived(op.command.channel);
  }
  release(index);
  start_what_may();
}

void OpGraph::report(Stream stream, const Command& command, Instant began, Instant ended,
                     bool whole) {
  if (observer_ == nullptr) return;
  const auto workers = static_cast<RoleId>(running_.size());
  observer_->operation(stream, command, began, ended);
  switch (command.kind) {
    case Command::Kind::compute:
      observer_->span(command.work, Activity::compute, began, ended);
      if (whole && command.layers.pass == Pass::backward && command.layers.first == 0) {
        observer_->gradient_computed(command.work, ended, last_loss(command.work.worker));
      }
      return;
    case Command::Kind::delay:
      if (command.work.worker < 0) return;  // a timer
      observer_->span(command.work, Activity::delay, began, ended);
      return;
    case Command::Kind::update:
    case Command::Kind::assign:
      if (command.to.role < workers) {
        observer_->span({command.to.role, -1}, Activity::compute, began, ended);
      }
      if (command.version > 0) observer_->updated(command.to.role, command.version, ended);
      return;
    default:
      return;
  }
}

void OpGraph::cancel(WorkId work) {
  give_up(work, false);
}

void OpGraph::kill(WorkId work) {
  give_up(work, true);
}

void OpGraph::give_up(WorkId work, bool at_once) {
  if (forward(work)) return;
  const auto worker = static_cast<std::size_t>(work.worker);
  if (work.step > cancelled_[worker]) cancelled_[worker] = work.step;
  const OpIndex running = running_[worker];
  if (running != 0 && is_cancelled(ops_[running].command.work)) {
    const Command& command = ops_[running].command;
    at_once ? interrupt_at_once(running, command) : interrupt(running, command);
  }
}

Token OpGraph::arrival(std::int32_t channel) {
  Channel& line = channels_[static_cast<std::size_t>(channel)];
  if (line.early > 0) {
    --line.early;
    return {};
  }
  if (!line.coming.empty()) return line.coming.pop();
  const OpIndex index = allocate();
  Op& op = ops_[index];
  op.state = State::running;
  op.command = Command{};
  op.stream = Stream{-1, StreamKind::push};
  op.waiter = -1;
  line.expected.push(index);
  return {index, op.generation};
}

void OpGraph::arrived(std::int32_t channel) {
  Channel& line = channels_[static_cast<std::size_t>(channel)];
  if (line.expected.empty()) {
    ++line.early;
    return;
  }
  release(line.expected.pop());
}

void OpGraph::let_die(WorkId work) {
  cancel(work);
  Message died;
  died.kind = Message::Kind::died;
  died.from = died.worker = work.worker;
  died.life = lives_[static_cast<std::size_t>(work.worker)];
  deliver(work.worker, died);
}

void OpGraph::deliver(RoleId to, Message message) {
  if (message.kind == Message::Kind::gradient) {
    message.loss = static_cast<float>(last_loss(message.worker));
  } else if (message.kind == Message::Kind::back && message.worker == to) {
    lives_[static_cast<std::size_t>(to)] = message.life;
  }
  if (!forward(to, message)) put_in_mailbox(to, message);
}

void OpGraph::put_in_mailbox(RoleId to, const Message& message) {
  RoleState& role = state(to);
  role.mailbox.push(message);
  if (role.awaits_message) {
    role.awaits_message = false;
    decide(to);
  }
}

void OpGraph::wait_for_message(RoleId role, std::coroutine_handle<> at) {
  state(role).at = at;
  state(role).awaits_message = true;
}

void OpGraph::wait_for(RoleId role, Token token, std::coroutine_handle<> at) {
  state(role).at = at;
  PACELINE_ASSERT(ops_[token.slot].waiter < 0);
  ops_[token.slot].waiter = role;
  state(role).awaited = token;
  wanted(token.slot);
}

void OpGraph::start_role(RoleId role, Task<> program) {
  ++roles_started_;
  RoleState& fresh = state(role);
  fresh.program = std::move(program);
  fresh.at = fresh.program.handle();
  wake(role);
}

void OpGraph::run_ready() {
  while (!ready_.empty()) {
    RoleState& role = state(ready_.pop());
    const std::coroutine_handle<> at = role.at;
    at.resume();
    if (role.program.handle().done()) {
      ++roles_done_;
      role.program.rethrow();
    }
  }
}

}  // namespace paceline
