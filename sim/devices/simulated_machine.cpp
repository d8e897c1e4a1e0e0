// SPDX-License-Identifier: MIT
#include "sim/devices/simulated_machine.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/devices/step_variation.hpp"

namespace paceline {
SimulatedMachine::SimulatedMachine(const Machine& machine, const Costs& costs,
                                   std::vector<int> places, int workers, Observer* observer,
                                   Learning* learning)
    : OpGraph(static_cast<int>(places.size()), workers, workers, observer),
      machine_(machine),
      costs_(costs),
      learning_(learning),
      layers_(costs),
      places_(std::move(places)),
      workers_(workers),
      last_end_ps_(places_.size() * kStreamKinds, -1),
      roles_free_ps_(static_cast<std::size_t>(costs.processes.count), 0),
      collective_count_(static_cast<std::size_t>(workers), 0) {
  if (costs.one_copy_engine) use_one_copy_stream();
  if (costs.groups) groups_.emplace(costs, network_);
  if (costs.servers_at_once > 0) {
    const Use use{network_.add_resource(costs.servers_at_once), 1.0};
    server_memory_ = network_.add_route({&use, 1}, 1.0);
  }
  std::vector<ResourceId> copying_cores;
  if (costs.shared_card >= 0 && !groups_) {
    // streams share the time of a card as flows share a link
    const Use use{share_card_time(), 1.0};
    cores_.push_back(network_.add_route({&use, 1}, 1.0));
  } else if (costs.cores > 0) {
    for (int computer = 0; computer < costs.processes.computers(); ++computer) {
      copying_cores.push_back(share_cores());
    }
  }
  paths_ = std::make_unique<Paths>(machine, costs, places_, std::move(copying_cores),
                                   groups_ ? &*groups_ : nullptr, network_);
}

SimulatedMachine::~SimulatedMachine() = default;

SimulatedMachine::Running& SimulatedMachine::running(OpIndex op) {
  if (op >= running_.size()) running_.resize(std::max<std::size_t>(op + 1, 2 * running_.size()));
  return running_[op];
}

void SimulatedMachine::schedule(OpIndex op, std::int64_t at_ps) {
  agenda_.push(at_ps, timer, op, ++running(op).generation);
}

// ---- costs

double SimulatedMachine::compute_ps(const Command& command) const {
  const auto worker = static_cast<std::size_t>(command.work.worker);
  double ps = static_cast<double>(layers_.duration(command.layers));
  if (!costs_.slowdown.empty()) ps *= costs_.slowdown[worker];
  if (costs_.variation > 0) ps *= step_variation(costs_, command.work);
  return ps;
}

double SimulatedMachine::arithmetic_ps(Stream stream, const Command& command) const {
  if (command.kind == Command::Kind::compute) return compute_ps(command);
  if (command.kind == Command::Kind::publish) return 0;
  const bool worker = stream.role < workers_;
  const bool update = command.kind == Command::Kind::update;
  const double per_byte = update ? (worker ? costs_.worker_update : costs_.server_update)
                                 : (worker ? costs_.worker_reduce : costs_.server_reduce);
  return command.to.slice.bytes * per_byte * 1e12;
}

bool SimulatedMachine::is_free(Stream stream, const Command& command) const {
  // what does something to weights has its place in the order of events, however short it takes
  const bool idle = command.kind == Command::Kind::delay;
  if (learning_ != nullptr && !idle) return false;
  switch (command.kind) {
    case Command::Kind::compute: {
      const bool last = command.layers.pass == Pass::backward && command.layers.first == 0;
      return layers_.duration(command.layers) == 0 && !(last && observer() != nullptr);
    }
    case Command::Kind::delay:
      return command.delay_ps == 0;
    case Command::Kind::copy:
      return command.channel < 0 && paths_->between(command.from.role, command.to.role).free;
    case Command::Kind::reduce:
      return arithmetic_ps(stream, command) == 0;
    case Command::Kind::assign:
    case Command::Kind::update:
      return observer() == nullptr && arithmetic_ps(stream, command) == 0;
    case Command::Kind::publish:
      return true;
    default:
      return false;
  }
}

// ---- starting operations

void SimulatedMachine::queued(OpIndex op) {
  if (costs_.handling == Seconds{}) return;
  std::int64_t& free_ps = roles_free_ps(stream_of(op).role);
  free_ps = later_ps(std::max(free_ps, now_.ps), to_ps(costs_.handling));
  running(op).handed_ps = free_ps;
}

bool SimulatedMachine::begin(OpIndex op, Stream stream, const Command& command) {
  if (costs_.handling > Seconds{}) {
    Running& run = running(op);
    run.handed_over = run.handed_ps <= now_.ps;
    if (!run.handed_over) {
      run.began_ps = now_.ps;
      agenda_.push(run.handed_ps, hand_over, op, ++run.generation);
      return false;
    }
  }
  return begin_now(op, stream, command);
}

bool SimulatedMachine::begin_now(OpIndex op, Stream stream, const Command& command) {
  Running& run = running(op);
  run.began_ps = now_.ps;
  switch (command.kind) {
    case Command::Kind::delay: {
      const std::int64_t late = later_ps(to_ps(costs_.timer_error), start_latency_ps(stream));
      schedule(op, later_ps(in_ps(command.delay_ps), late));
      return false;
    }
    case Command::Kind::copy:
      return begin_copy(op, command);
    case Command::Kind::collective:
      begin_collective(op, stream, command);
      return false;
    default:
      return begin_arithmetic(op, stream, command, arithmetic_ps(stream, command));
  }
}

bool SimulatedMachine::begin_arithmetic(OpIndex op, Stream stream, const Command& command,
                                        double ps) {
  Running& run = running(op);
  if (costs_.dispatch > Seconds{} && command.kind == Command::Kind::compute) {
    // one thread launches the kernels of all workers, one after another
    const std::int64_t launches = round_ps(static_cast<double>(to_ps(costs_.dispatch)) *
                                           (command.layers.last - command.layers.first));
    dispatcher_free_ps_ = later_ps(std::max(dispatcher_free_ps_, now_.ps), launches);
    ps = std::max(ps, static_cast<double>(dispatcher_free_ps_ - now_.ps));
  }
  run.total_ps = run.left_ps = ps;
  run.since_ps = now_.ps;
  if (ps == 0) {
    carry_out(command);
    report(stream, command, now_, now_, true);
    return true;
  }
  if (on_group(stream)) return begin_on_group(op, stream, command);
  if (shares_cores(stream)) {
    const std::int64_t wait = start_latency_ps(stream);
    if (!goes_straight_on(stream)) run.left_ps += static_cast<double>(to_ps(passing_on(stream)));
    const Seconds slept = take_core(run, stream);
    if (command.kind == Command::Kind::compute) {
      run.left_ps += static_cast<double>(to_ps(after_sleep(slept)));
    }
    if (wait > 0) {
      agenda_.push(in_ps(wait), core_start, op, ++run.generation);
    } else {
      run.flow = start_on_cores(op, stream, run.left_ps);
    }
    return false;
  }
  if (stream.role >= workers_ && server_memory_) {
    run.flow = network_.start(*server_memory_, ps * 1e-12, now_.ps, op);
    return false;
  }
  if (stream.role < workers_ && command.kind == Command::Kind::compute) {
    on_gpus_.push_back(op);
    schedule(op, in_ps(round_ps(ps / gpu_speed_)));
  } else {
    schedule(op, in_ps(round_ps(ps)));
  }
  return false;
}

bool SimulatedMachine::begin_copy(OpIndex op, const Command& command) {
  Path& way = paths_->between(command.from.role, command.to.role);
  if (way.free) {
    carry_out(command);
    return true;
  }
  Running& run = running(op);
  run.path = &way;
  run.left_ps = command.from.slice.bytes * way.per_byte;
  const Stream stream = stream_of(op);
  std::int64_t wait_ps = later_ps(way.latency_ps, talk_ps(way, stream, command));
  if (costs_.cores > 0) {
    run.left_ps += passing_on(stream).value() / costs_.precedence;
    // what is measured of the memory begins when a copy is asked for
    if (way.request_ps == 0) {
      const std::int64_t ready_ps = later_ps(wait_ps, start_latency_ps(stream));
      wait_ps = std::max<std::int64_t>(0, ready_ps - to_ps(costs_.operation_start));
    }
    take_core(run, stream);
  }
  if (wait_ps > 0) {
    agenda_.push_in_lane(0, in_ps(wait_ps), flow_start, op);
  } else if (way.engine < 0 || engines_.take(way.engine, op)) {
    begin_flow(op);
  }
  return false;
}

void SimulatedMachine::begin_flow(OpIndex op) {
  Running& run = running_[op];
  ++flows_;
  run.flow = network_.start(run.path->route, run.left_ps, now_.ps, op);
}

// ---- ending operations

void SimulatedMachine::interrupt(OpIndex op, const Command& command) {
  Running& run = running(op);
  if (command.kind == Command::Kind::delay || !run.handed_over) {
    ++run.generation;  // its timer is stale now
    ended(op, Outcome::cancelled);
    return;
  }
  if (command.kind != Command::Kind::compute || run.stopping) return;
  run.stopping = true;
  if (run.by_layer) {
    stop_layers(op);
    return;
  }
  const double left = arithmetic_left_ps(op);
  const bool shared = shares_cores(stream_of(op));
  // stop where the layer under way ends
  const double stretch = stretch_of(op);
  const double elapsed = (run.total_ps - left) / stretch;
  run.layers_ps = layers_.border_after(command.layers, round_ps(elapsed));
  const double border = static_cast<double>(run.layers_ps) * stretch;
  const double rest = std::max(0.0, std::min(left, border - (run.total_ps - left)));
  run.left_ps = rest;
  run.since_ps = now_.ps;
  if (!shared) {
    schedule(op, in_ps(round_ps(rest / gpu_speed_)));
    return;
  }
  if (run.flow.order != 0) network_.cancel(run.flow, now_.ps);
  ++run.generation;
  run.flow = start_on_cores(op, stream_of(op), rest);
}

/// Arithmetic under way that an operation has still to do, at full speed.
double SimulatedMachine::arithmetic_left_ps(OpIndex op) const {
  const Running& run = running_[op];
  if (!shares_cores(stream_of(op)))
    return run.left_ps - static_cast<double>(now_.ps - run.since_ps) * gpu_speed_;
  return run.flow.order != 0 ? network_.remaining(run.flow, now_.ps) * 1e12 : run.left_ps;
}

/// Time of an operation's layers over that in the table of layers, of an undisturbed worker.
double SimulatedMachine::stretch_of(OpIndex op) const {
  return running_[op].total_ps /
         std::max(1.0, static_cast<double>(layers_.duration(command(op).layers)));
}

/// The worker is dead, and its processor with it: nothing runs on to a layer's end.
void SimulatedMachine::interrupt_at_once(OpIndex op, const Command& command) {
  Running& run = running(op);
  if (command.kind == Command::Kind::compute && run.handed_over && !run.by_layer) {
    const double stretch = stretch_of(op);
    // arithmetic that was cancelled before had been going to end at a layer's border
    const double end = run.stopping ? static_cast<double>(run.layers_ps) * stretch : run.total_ps;
    run.layers_ps = round_ps(std::max(0.0, (end - arithmetic_left_ps(op)) / stretch));
  }
  if (run.flow.order != 0) network_.cancel(run.flow, now_.ps);
  ++run.generation;  // its timer is stale now
  ended(op, Outcome::cancelled);
}

/// What an operation does to weights and gradients happens when it ends. Layers only take time:
/// the gradient is computed as a whole when the first of its layers is there, on weights that
/// nobody touches meanwhile.
void SimulatedMachine::carry_out(const Command& command) {
  if (learning_ == nullptr) return;
  if (command.kind != Command::Kind::compute) {
    learning_->perform(command);
  } else if (command.layers.pass == Pass::backward && command.layers.last == layers_.count()) {
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
  Running& run = running(op);
  run.flow = {};
  const bool cancelled = run.stopping || outcome == Outcome::cancelled;
  const bool by_layer = std::exchange(run.by_layer, false);
  run.stopping = false;
  if (run.path != nullptr && run.path->engine >= 0) {
    if (const auto next = engines_.release(run.path->engine)) begin_flow(*next);
  }
  run.path = nullptr;
  leave_core(run, stream);
  last_end_ps_[index_of(stream)] = now_.ps;
  if (!on_gpus_.empty()) std::erase(on_gpus_, op);
  if (!cancelled) carry_out(what);
  if (parts_wanted() && what.kind == Command::Kind::compute && !by_layer) {
    report_layers(what, run, cancelled);
  }
  report(stream, what, Instant{run.began_ps}, now_, !cancelled);
  finish(op, cancelled ? Outcome::cancelled : Outcome::done);
}

/// Whatever holds a worker up holds up all layers of a range alike.
void SimulatedMachine::report_layers(const Command& command, const Running& run, bool cut_short) {
  if (!run.handed_over) return;  // it was cancelled before its turn
  const std::int64_t known = cut_short ? run.layers_ps : layers_.duration(command.layers);
  const double stretch =
      known > 0 ? static_cast<double>(now_.ps - run.began_ps) / static_cast<double>(known) : 0;
  const auto at = [&](std::int64_t ps) {
    return Instant{run.began_ps + round_ps(static_cast<double>(ps) * stretch)};
  };
  for (const LayerClock::Turn& turn : layers_.turns(command.layers, known)) {
    observer()->part(command.work, {command.layers.pass, turn.layer, turn.layer + 1},
                     at(turn.begin_ps), at(std::min(turn.end_ps, known)));
  }
}

void SimulatedMachine::decide(RoleId role) {
  if (costs_.decision == Seconds{}) {
    wake(role);
  } else {
    const std::int64_t at = std::max((now_ + costs_.decision).ps, roles_free_ps(role));
    agenda_.push(at, decision, static_cast<std::uint32_t>(role));
  }
}

// ---- time

void SimulatedMachine::settle() {
  for (const Wakeup& wakeup : network_.settle(now_.ps)) {
    agenda_.push_in_lane(1, wakeup.time_ps, flow_end, static_cast<std::uint32_t>(wakeup.flow_class),
                         wakeup.generation);
  }
}

void SimulatedMachine::on_flow_done(std::uint32_t payload) {
  if ((payload & kCollectiveFlow) == 0) {
    advanced(payload);
    return;
  }
  const std::size_t ordinal = payload & ~kCollectiveFlow;
  if (--collectives_[ordinal].flows_left == 0) finish_collective(ordinal);
}

bool SimulatedMachine::stale(const Event& event) const {
  switch (event.what) {
    case timer:
    case core_start:
    case hand_over:
      return running_[event.subject].generation != event.generation;
    case flow_end:
      return network_.stale({event.time_ps, FlowClassId{event.subject}, event.generation});
    default:
      return false;
  }
}

void SimulatedMachine::happen(const Event& event) {
  const std::uint32_t subject = event.subject;
  switch (event.what) {
    case timer:
      advanced(subject);
      return;
    case flow_start: {
      const int engine = running_[subject].path->engine;
      if (engine < 0 || engines_.take(engine, subject)) begin_flow(subject);
      return;
    }
    case core_start: {
      Running& run = running_[subject];
      if (on_group(stream_of(subject))) {
        begin_group_work(subject);
      } else {
        run.flow = start_on_cores(subject, stream_of(subject), run.left_ps);
      }
      return;
    }
    case flow_end: {
      const Wakeup wakeup{event.time_ps, FlowClassId{subject}, event.generation};
      for (const std::uint32_t payload : network_.complete(wakeup)) on_flow_done(payload);
      return;
    }
    case hand_over: {
      running_[subject].handed_over = true;
      const Stream stream = stream_of(subject);
      if (!begin_now(subject, stream, command(subject))) return;
      last_end_ps_[index_of(stream)] = now_.ps;
      finish(subject, Outcome::done);
      return;
    }
    case letter: {
      const Letter written = letters_.take(subject);
      deliver_from_elsewhere(written.to, written.message);
      return;
    }
    case decision:
      wake(static_cast<RoleId>(subject));
      return;
    case collective_start:
      start_collective(subject);
      return;
    default:
      return;
  }
}

void SimulatedMachine::run() {
  for (;;) {
    run_ready();
    if (network_.unsettled() && (agenda_.empty() || agenda_.top().time_ps > now_.ps)) settle();
    if (agenda_.empty()) break;
    const Event event = agenda_.pop();
    if (stale(event)) continue;  // time does not pass for what has been called off
    if (event.time_ps == kEndOfClock) break;
    now_.ps = event.time_ps;
    happen(event);
  }
  if (all_roles_done()) return;
  const std::string under_way = what_is_under_way();
  if (under_way.empty()) throw std::runtime_error(deadlock());
  throw std::runtime_error("the simulated clock ends after 106.7 days, before " + under_way +
                           " (simulate fewer steps or shorter times)");
}

}  // namespace paceline
