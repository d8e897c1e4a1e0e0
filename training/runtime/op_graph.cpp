// SPDX-License-Identifier: MIT
#include "training/runtime/op_graph.hpp"

#include <utility>

#include "training/runtime/assertion.hpp"

namespace paceline {

OpGraph::OpGraph(int roles, int workers, Observer* observer, DeviceOrder order)
    : order_(order),
      ops_(1),
      queues_(static_cast<std::size_t>(roles)),
      workers_(workers),
      roles_(roles),
      channels_(static_cast<std::size_t>(roles)),
      joined_(static_cast<std::size_t>(workers), 0),
      observer_(observer) {}

// ---- queueing

OpGraph::OpIndex OpGraph::allocate(Stream stream) {
  OpIndex index = 0;
  if (free_ops_.empty()) {
    ops_.add();
    index = static_cast<OpIndex>(ops_.size() - 1);
  } else {
    index = free_ops_.back();
    free_ops_.pop_back();
  }
  Op& op = ops_[index];
  op.stream = stream;
  op.state = State::waiting;
  op.pending = 0;
  op.waiter = op.second_waiter = -1;
  op.message = kNone;
  op.sends = false;
  return index;
}

/// Makes `op` wait until `on` reaches a state, unless it has already.
void OpGraph::depend(OpIndex op, Token on, State needs) {
  if (complete(on) || ops_[on.slot()].state >= needs) return;
  if (ops_[on.slot()].message != kNone && !ops_[on.slot()].sends) detach_message(on.slot());
  add_edge(op, on.slot(), needs);
  if (needs == State::ended) awaited(on.slot());
}

void OpGraph::add_edge(OpIndex op, OpIndex on, State needs) {
  std::uint32_t edge = free_edge_;
  if (edge == kNone) {
    edge = static_cast<std::uint32_t>(edges_.size());
    edges_.emplace_back();
  } else {
    free_edge_ = edges_[edge].next;
  }
  edges_[edge] = {op & 0x3fffffffU, static_cast<OpIndex>(needs) & 3U, ops_[on].first_edge};
  ops_[on].first_edge = edge;
  ++ops_[op].pending;
}

/// The state of `before` that lets `op` begin.
OpGraph::State OpGraph::needed_of(OpIndex op, OpIndex before) const {
  if (order_ == DeviceOrder::nothing || is_final(ops_[op].command)) return State::ended;
  const Stream mine = ops_[op].stream;
  const Stream other = ops_[before].stream;
  if (mine.role == other.role && mine.kind == other.kind) {
    // a copy beside the stream's order is not ordered by the stream, only by the device if at all
    const bool beside = is_beside(op) || is_beside(before);
    const bool apart = order_ == DeviceOrder::among_streams && !device_orders(op, before);
    return beside && apart ? State::ended : State::begun;
  }
  const bool ordered = order_ == DeviceOrder::among_streams && device_orders(op, before);
  return ordered ? State::handed_over : State::ended;
}

OpGraph::State OpGraph::needed_of_last(OpIndex op, Token last) const {
  if (order_ == DeviceOrder::nothing || is_final(ops_[op].command)) return State::ended;
  // the device keeps the order of its streams, not that of an arrival, or of another stream's
  // operation that a free command waited for
  const Stream other = ops_[last.slot()].stream;
  const Stream queue = queue_of(ops_[op].stream), others = queue_of(other);
  const bool same = others.role == queue.role && others.kind == queue.kind;
  // unless one of the two is not on the device, such as a copy to another process
  const bool ordered = order_ != DeviceOrder::among_streams || device_orders(op, last.slot());
  return same && ordered ? State::begun : State::ended;
}

/// Makes `op` wait for `before`, on the device where that can be.
void OpGraph::follow(OpIndex op, Token before) {
  if (complete(before)) return;
  const State needs = needed_of(op, before.slot());
  // the stream's last operation has begun later
  if (needs == State::begun && !is_beside(op) && !is_beside(before.slot())) return;
  depend(op, before, needs);
  if (needs == State::handed_over) must_await(op, before);
}

Token OpGraph::submit(Stream stream, const Command& command, const After& after) {
  const auto* copy = command.as<Command::Copy>();
  const bool announced = copy != nullptr && copy->announced;
  if ((is_always_free(command.what.index()) && !announced) || is_free(stream, command)) {
    if (Token place; find_place(stream, after, place)) return place;
  }
  return queue(stream, command, after, tail_of(stream));
}

Token OpGraph::queue(Stream stream, const Command& command, const After& after, Token& tail) {
  const OpIndex index = allocate(stream);
  Op& op = ops_[index];
  op.command.work.worker = command.work.worker;
  op.command.work.step = command.work.step;
  op.command.what.take(command.what);
  const Token token{index, op.generation};
  const bool beside = is_beside(index);
  if (!beside) depend(index, tail, needed_of_last(index, tail));
  for (const Token dependency : after) follow(index, dependency);
  if (!beside) tail = token;
  queued(index);
  if (op.pending == 0) start(index);
  return token;
}

// ---- starting

/// Starts `op` and whatever becomes startable by operations that end at once.
void OpGraph::start(OpIndex first) {
  startable_.push_back({first});
  start_what_may();
}

void OpGraph::start_what_may() {
  if (starting_) return;
  starting_ = true;
  while (!startable_.empty()) {
    const OpIndex index = startable_.back().op;
    const std::uint32_t message = startable_.back().message;
    startable_.pop_back();
    if (message != kNone) {
      send_now(messages_.take(message));
      continue;
    }
    Op& op = ops_[index];
    const WorkId work = op.command.work;
    if (op.sends) {
      const std::uint32_t number = std::exchange(op.message, kNone);
      end(index);
      send_now(messages_.take(number));
      continue;
    }
    note_reached(index, State::begun);
    if (is_cancelled(work)) {
      end(index);
      continue;
    }
    OpIndex* const running = running_of(op);
    if (running != nullptr) {
      *running = index;
      if (order_ == DeviceOrder::nothing) note_begun(work, now());
    }
    if (!begin(index, op.stream, op.command)) continue;
    if (running != nullptr) *running = 0;
    const auto* copy = op.command.as<Command::Copy>();
    if (copy != nullptr && copy->announced) arrived(copy->to.role, copy->from.role);
    end(index);
  }
  starting_ = false;
}

/// `op` has reached `state`: dependents that need no later one go on, in the order in which they
/// were queued. Edges were prepended, and what may start is taken from the back.
void OpGraph::note_reached(OpIndex index, State state) {
  ops_[index].state = state;
  if (state == State::begun && order_ == DeviceOrder::nothing) return;  // no edge needs less
  std::uint32_t* link = &ops_[index].first_edge;
  while (*link != kNone) {
    Edge& edge = edges_[*link];
    if (edge.needs > static_cast<OpIndex>(state)) {
      link = &edge.next;
      continue;
    }
    const std::uint32_t released = *link;
    const OpIndex dependent = edge.dependent;
    *link = edge.next;
    edge.next = free_edge_;
    free_edge_ = released;
    if (--ops_[dependent].pending > 0) continue;
    if (state == State::begun) {
      // below what this one may still make startable: it must be handed over first
      startable_.insert(startable_.begin(), {dependent});
    } else {
      startable_.push_back({dependent});
    }
  }
}

/// Where a worker's running operation is noted, to be interrupted when its mini-batch is cancelled;
/// null for operations that are not interrupted.
OpGraph::OpIndex* OpGraph::running_of(const Op& op) {
  const WorkId work = op.command.work;
  if (work.worker < 0) return nullptr;
  if (op.stream.kind == StreamKind::compute) return &queues_of(work.worker).running;
  return op.command.is<Command::Delay>() ? &queues_of(work.worker).late : nullptr;
}

void OpGraph::note_begun(WorkId work, Instant at) {
  if (observer_ == nullptr) return;
  std::int64_t& last = queues_of(work.worker).begun;
  if (work.step <= last) return;
  last = work.step;
  observer_->begun(work.worker, work.step, at);
}

void OpGraph::note_handed_over(OpIndex index) {
  PACELINE_ASSERT(ops_[index].state == State::begun);
  const auto* copy = ops_[index].command.as<Command::Copy>();
  if (copy != nullptr && copy->announced) bring(index);
  note_reached(index, State::handed_over);
  start_what_may();
}

std::vector<OpGraph::OpIndex> OpGraph::join(OpIndex op) {
  const auto* collective = ops_[op].command.as<Command::Collective>();
  const std::int64_t call = joined_[static_cast<std::size_t>(ops_[op].stream.role)]++;
  const auto place = static_cast<std::size_t>(call - first_call_);
  if (calls_.size() <= place) calls_.resize(place + 1);
  if (calls_[place].empty()) calls_[place].reserve(static_cast<std::size_t>(collective->ranks));
  calls_[place].push_back(op);
  if (static_cast<std::int32_t>(calls_[place].size()) < collective->ranks) return {};
  // every rank has come to all earlier calls, so this one is the first
  std::vector<OpIndex> all = std::move(calls_.front());
  calls_.pop_front();
  ++first_call_;
  return all;
}

// ---- ending

/// Frees `op` and lets its dependents go on.
void OpGraph::end(OpIndex index) {
  Op& op = ops_[index];
  ++op.generation;
  const RoleId waiter = op.waiter, second = op.second_waiter;
  free_ops_.push_back(index);
  if (op.message != kNone) startable_.push_back({0, std::exchange(op.message, kNone)});
  note_reached(index, State::ended);
  if (waiter >= 0) decide(waiter);
  if (second >= 0) decide(second);
}

void OpGraph::finish(OpIndex index, Outcome outcome) {
  Op& op = ops_[index];
  PACELINE_ASSERT(op.state == State::begun || op.state == State::handed_over);
  OpIndex* const running = running_of(op);
  if (running != nullptr && *running == index) *running = 0;
  const auto* copy = op.command.as<Command::Copy>();
  if (copy != nullptr && copy->announced) {
    if (op.state == State::handed_over) {
      const Token arrival = std::exchange(arrivals_[index], Token{});
      if (arrival.slot() != 0) {
        sources_[arrival.slot()] = {};
        end(arrival.slot());
      }
    } else if (outcome == Outcome::done) {
      arrived(copy->to.role, copy->from.role);
    }
  }
  end(index);
  start_what_may();
}

// ---- cancelling

void OpGraph::cancel(WorkId work) {
  give_up(work, false);
}

void OpGraph::kill(WorkId work) {
  give_up(work, true);
  note_death(work.worker);
}

void OpGraph::give_up(WorkId work, bool at_once) {
  if (forward(work)) return;
  Queues& worker = queues_of(work.worker);
  if (work.step > worker.cancelled) worker.cancelled = work.step;
  for (const OpIndex running : {worker.running, worker.late}) {
    if (running == 0 || !is_cancelled(ops_[running].command.work)) continue;
    const Command& command = ops_[running].command;
    at_once ? interrupt_at_once(running, command) : interrupt(running, command);
  }
}

void OpGraph::let_die(WorkId work) {
  cancel(work);
  put_in_mailbox(work.worker, MachineMessages::make(kMachine, ArithmeticFailed{work}));
}

// ---- roles

void OpGraph::wait_for(RoleId role, Token token, std::coroutine_handle<> at) {
  Op& op = ops_[token.slot()];
  PACELINE_ASSERT(op.second_waiter < 0);
  (op.waiter < 0 ? op.waiter : op.second_waiter) = role;
  roles_.wait_for(role, token, at);
  awaited(token.slot());
}

}  // namespace paceline
