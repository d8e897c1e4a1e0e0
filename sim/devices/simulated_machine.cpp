// SPDX-License-Identifier: MIT
#include "sim/devices/simulated_machine.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "training/runtime/clock_end.hpp"

namespace paceline {

SimulatedMachine::SimulatedMachine(SharedMachine& shared, unsigned job, const Machine& machine,
                                   const Costs& costs, std::vector<int> vertices, int workers,
                                   Observer* observer, Learning* learning)
    : OpGraph(static_cast<int>(vertices.size()), workers, observer),
      shared_(shared),
      machine_(machine),
      costs_(costs),
      learning_(learning),
      layers_(costs),
      vertices_(std::move(vertices)),
      workers_(workers),
      lengths_(machine, costs, layers_, vertices_, workers),
      time_(shared.agenda(), job),
      network_(shared.network()),
      context_{time_, network_, operations_, layers_, costs_},
      timer_error_ps_(to_ps(costs.timer_error)),
      host_(costs) {
  if (costs.one_copy_engine) use_one_copy_stream();
  if (costs.groups) card_memory_.emplace(costs, network_);
  add_processors();
  paths_ = std::make_unique<Paths>(machine, costs, vertices_, *cores_,
                                   card_memory_ ? &*card_memory_ : nullptr, shared);
  copies_ = std::make_unique<CopyEngine>(context_, *paths_, *cores_);
  collectives_ =
      std::make_unique<CollectiveLibrary>(machine, vertices_, context_, *this, *paths_, own_gpus_);
  note_always_free_commands();
}

SimulatedMachine::SimulatedMachine(std::unique_ptr<SharedMachine> shared, const Machine& machine,
                                   const Costs& costs, std::vector<int> vertices, int workers,
                                   Observer* observer, Learning* learning)
    : SimulatedMachine(*shared, 0, machine, costs, std::move(vertices), workers, observer,
                       learning) {
  own_ = std::move(shared);
}

SimulatedMachine::SimulatedMachine(const Machine& machine, const Costs& costs,
                                   std::vector<int> vertices, int workers, Observer* observer,
                                   Learning* learning)
    : SimulatedMachine(std::make_unique<SharedMachine>(), machine, costs, std::move(vertices),
                       workers, observer, learning) {}

SimulatedMachine::~SimulatedMachine() = default;

// ---- starting operations

void SimulatedMachine::queued(OpIndex op) {
  if (!host_.handles()) return;
  operations_[op].handed_ps = host_.handled_ps(stream_of(op).role, now());
}

bool SimulatedMachine::begin(OpIndex op, Stream stream, const Command& command) {
  if (host_.handles()) {
    OperationState& operation = operations_[op];
    operation.handed_over = operation.handed_ps <= now().ps;
    if (!operation.handed_over) {
      operation.began_ps = now().ps;
      time_.push(EventKind::hand_over, operation.handed_ps, op, ++operation.generation);
      return false;
    }
  }
  return begin_now(op, stream, command);
}

bool SimulatedMachine::begin_now(OpIndex op, Stream stream, const Command& command) {
  OperationState& operation = operations_[op];
  operation.began_ps = now().ps;
  operation.processor = nullptr;
  if (const auto* delay = command.as<Command::Delay>()) {
    const bool sleeps = delay->ps > 0;
    const std::int64_t late =
        sleeps ? later_ps(timer_error_ps_, cores_->start_latency_ps(stream)) : 0;
    const std::int64_t end_ps = later_ps(time_.in_ps(delay->ps), late);
    time_.push(EventKind::timer, end_ps, op, ++operation.generation);
    return false;
  }
  if (const auto* request = command.as<Command::StorageRequest>()) {
    Storage& storage = shared_.storage(computer_of(stream.role), request->writes);
    const Instant end = storage.serve(now(), request->ps, request->latency_ps);
    time_.push(EventKind::timer, end.ps, op, ++operation.generation);
    return false;
  }
  if (const auto* copy = command.as<Command::Copy>()) {
    if (copies_->start(op, stream, *copy)) return false;
    if (lengths_.copy_ps(*copy) > 0) return begin_arithmetic(op, stream, command);
    carry_out(command);
    return true;
  }
  if (const auto* collective = command.as<Command::Collective>()) {
    if (ahead_ != nullptr) {
      ahead_->begin(op, stream.role, collective->slice.bytes);
      return false;
    }
    std::vector<OpIndex> all = join(op);
    if (!all.empty()) collectives_->launch(std::move(all), *collective);
    return false;
  }
  return begin_arithmetic(op, stream, command);
}

bool SimulatedMachine::begin_arithmetic(OpIndex op, Stream stream, const Command& command) {
  if (command.is<Command::Compute>() && costs_.launches_together()) {
    launches_.push_back(op);
    return false;
  }
  return launch(op, stream, command);
}

bool SimulatedMachine::launch(OpIndex op, Stream stream, const Command& command) {
  double ps = lengths_.arithmetic_ps(stream, command);
  std::int64_t launched_ps = now().ps;
  const auto* compute = command.as<Command::Compute>();
  if (compute != nullptr && !lengths_.takes_no_time(compute->layers, command.work)) {
    const double calls = costs_.dispatches(compute->layers, layers_.shape_of(command.work));
    launched_ps = host_.launched_ps(stream.role, calls, now());
    const auto launching = static_cast<double>(launched_ps - now().ps);
    ps = lengths_.launched_ps(compute->layers, ps, launching);
  }
  if (ps == 0) {
    carry_out(command);
    report(stream, command, now(), now(), true);
    return true;
  }
  Processor& processor = processor_of(stream);
  operations_[op].processor = &processor;
  processor.start(op, stream, command, ps, launched_ps);
  return false;
}

/// The instant is over: one thread launches the kernels of several workers, in their order.
void SimulatedMachine::start_launches() {
  std::ranges::sort(launches_, {}, [this](OpIndex op) { return stream_of(op).role; });
  for (const OpIndex op : std::exchange(launches_, {})) {
    const Stream stream = stream_of(op);
    if (!launch(op, stream, command(op))) continue;
    cores_->note_end(stream);
    finish(op, Outcome::done);
  }
}

// ---- ending operations

/// Arithmetic that is interrupted in the instant in which it begins has begun.
void SimulatedMachine::start_launch_of(OpIndex op) {
  if (std::ranges::find(launches_, op) != launches_.end()) start_launches();
}

void SimulatedMachine::interrupt(OpIndex op, const Command& command) {
  start_launch_of(op);
  OperationState& operation = operations_[op];
  if (command.is<Command::Delay>() || !operation.handed_over) {
    ++operation.generation;  // its timer is stale
    ended(op, Outcome::cancelled);
    return;
  }
  const auto* compute = command.as<Command::Compute>();
  if (compute == nullptr || operation.stopping) return;
  operation.stopping = true;
  operation.processor->stop(op, compute->layers);
}

/// The worker is dead, and its processor with it: nothing runs on to a layer's end.
void SimulatedMachine::interrupt_at_once(OpIndex op, const Command& command) {
  start_launch_of(op);
  OperationState& operation = operations_[op];
  const auto* compute = command.as<Command::Compute>();
  if (compute != nullptr && operation.handed_over) {
    operation.processor->note_cut(op, compute->layers);
  }
  if (operation.flow.order != 0) network_.cancel(operation.flow, now().ps);
  ++operation.generation;  // its timer is stale
  ended(op, Outcome::cancelled);
}

/// An operation changes weights and gradients when it ends. Layers only take time: the gradient is
/// computed as a whole when the first of its layers ends, on weights that nothing changes
/// meanwhile.
void SimulatedMachine::carry_out(const Command& command) {
  // a collective is carried out for all ranks at once
  if (learning_ == nullptr || command.is<Command::Collective>()) return;
  const auto* compute = command.as<Command::Compute>();
  if (compute == nullptr) {
    learning_->perform(command);
  } else if (compute->layers.pass == Pass::backward && compute->layers.last == layers_.count()) {
    learning_->compute_whole(command.work);
  }
}

double SimulatedMachine::last_loss(RoleId worker) const {
  return learning_ != nullptr ? learning_->last_loss(worker)
                              : std::numeric_limits<double>::quiet_NaN();
}

void SimulatedMachine::ended(OpIndex op, Outcome outcome) {
  const Command& what = command(op);
  const Stream stream = stream_of(op);
  OperationState& operation = operations_[op];
  operation.flow = {};
  const bool cancelled = std::exchange(operation.stopping, false) || outcome == Outcome::cancelled;
  const auto* compute = what.as<Command::Compute>();
  const bool travels = what.is<Command::Copy>() && operation.processor == nullptr;
  if (travels && operation.handed_over) copies_->release(op);
  cores_->leave(operation, stream);
  cores_->note_end(stream);
  if (operation.processor != nullptr) operation.processor->release(op);
  if (!cancelled) carry_out(what);
  if (parts_observed() && compute != nullptr && operation.handed_over &&
      !operation.processor->walks_layers()) {
    report_layers(what.work, compute->layers, operation, cancelled);
  }
  report(stream, what, Instant{operation.began_ps}, now(), !cancelled);
  finish(op, cancelled ? Outcome::cancelled : Outcome::done);
}

/// A delay stretches all layers of a range by the same factor.
void SimulatedMachine::report_layers(WorkId work, const LayerRange& layers,
                                     const OperationState& operation, bool cut_short) {
  const std::int64_t known = cut_short ? std::get<ArithmeticWork>(operation.work).layers_ps
                                       : layers_.duration(layers, work);
  const auto elapsed = static_cast<double>(now().ps - operation.began_ps);
  const double stretch = known > 0 ? elapsed / static_cast<double>(known) : 0;
  const auto at = [&](std::int64_t ps) {
    return Instant{operation.began_ps + round_ps(static_cast<double>(ps) * stretch)};
  };
  for (const LayerClock::Turn& turn : layers_.turns(layers, work, known)) {
    observer()->part(work, {layers.pass, turn.layer, turn.layer + 1}, at(turn.begin_ps),
                     at(std::min(turn.end_ps, known)));
  }
}

void SimulatedMachine::advance(OpIndex op) {
  Processor* const processor = operations_[op].processor;
  processor != nullptr ? processor->advance(op) : ended(op, Outcome::done);
}

void SimulatedMachine::decide(RoleId role) {
  if (costs_.decision == Seconds{}) {
    wake(role);
  } else {
    time_.push(EventKind::decision, host_.decided_ps(role, now()),
               static_cast<std::uint32_t>(role));
  }
}

bool SimulatedMachine::forward(RoleId to, const Message& message) {
  const ProcessCosts& processes = costs_.processes;
  if (!processes.several() || processes.of(message.from) == processes.of(to)) return false;
  time_.push(EventKind::message, time_.in_ps(to_ps(processes.latency) / 2),
             messages_.add({to, message}));
  return true;
}

// ---- time

bool SimulatedMachine::stale(const Event& event) const {
  switch (Timeline::kind_of(event)) {
    case EventKind::timer:
    case EventKind::work_start:
    case EventKind::hand_over:
      return operations_.at(event.subject).generation != event.generation;
    default:
      return false;
  }
}

void SimulatedMachine::happen(const Event& event) {
  const std::uint32_t subject = event.subject;
  switch (Timeline::kind_of(event)) {
    case EventKind::timer:
      return advance(subject);
    case EventKind::work_start:
      return operations_[subject].processor->go_on(subject);
    case EventKind::transfer_start:
      return copies_->go_on(subject);
    case EventKind::flow_end:
      return;  // the shared machine's
    case EventKind::hand_over: {
      operations_[subject].handed_over = true;
      const Stream stream = stream_of(subject);
      if (!begin_now(subject, stream, command(subject))) return;
      cores_->note_end(stream);
      finish(subject, Outcome::done);
      return;
    }
    case EventKind::message: {
      const MessagePool::Entry arrived = messages_.take(subject);
      put_in_mailbox(arrived.to, arrived.message);
      return;
    }
    case EventKind::decision:
      return wake(static_cast<RoleId>(subject));
    case EventKind::collective_start:
      return ahead_ != nullptr ? go_on_ahead(subject) : collectives_->start(subject);
  }
}

void SimulatedMachine::flow_ended(std::uint32_t payload) {
  if (payload < CollectiveLibrary::kFirstFlow) return advance(payload);
  if (ahead_ == nullptr) return collectives_->note_flow_end(payload);
  ahead_->flow_ended(static_cast<RoleId>(payload & ~CollectiveLibrary::kFirstFlow));
}

void SimulatedMachine::run() {
  SimulatedMachine* const alone = this;
  own_->run({&alone, 1});
}

void SimulatedMachine::check_that_roles_ended() const {
  if (all_roles_done()) return;
  const std::string under_way = what_is_under_way();
  if (under_way.empty()) throw std::runtime_error(deadlock());
  throw ClockEnd(under_way);
}

}  // namespace paceline
