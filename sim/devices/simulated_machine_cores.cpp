// SPDX-License-Identifier: MIT
// The cores of a computer, which its threads share, what it takes to wake them, and a card's time.
#include <algorithm>
#include <array>

#include "sim/devices/simulated_machine.hpp"

namespace paceline {

/// The time of a card: one flow gets all of it, and several together what was measured.
ResourceId SimulatedMachine::share_card_time() {
  if (costs_.turns.empty()) return network_.add_resource(1);
  const double most = *std::max_element(costs_.turns.begin(), costs_.turns.end());
  std::vector<double> shares = costs_.turns;
  for (double& share : shares) share /= most;
  return network_.add_resource(most, std::move(shares));
}

/// Of one computer: threads share the cores as flows share a link; one thread runs on one core at
/// most. A worker's stays on a core of its own, or one that several take turns at.
ResourceId SimulatedMachine::share_cores() {
  const double together = costs_.cores_together > 0 ? costs_.cores_together : costs_.cores;
  const ResourceId all = network_.add_resource(together);
  const Use ahead{all, costs_.precedence};
  on_cores_.push_back(0);
  cores_.push_back(network_.add_route({&ahead, 1}, 1 / costs_.precedence));
  const Use use{all, 1.0};
  for (int core = 0; core < costs_.cores; ++core) {
    const bool slices = costs_.time_slice > Seconds{};
    const std::array<Use, 2> uses{
        Use{network_.add_resource(1, slices ? std::vector<double>{} : costs_.turns), 1.0}, use};
    workers_cores_.push_back(network_.add_route(uses, 1.0));
    if (slices) turns_.push_back({.turns = CoreTurns(to_ps(costs_.time_slice))});
  }
  return all;
}

std::size_t SimulatedMachine::core_of(Stream stream) const {
  const auto computer = static_cast<std::size_t>(costs_.processes.computer_of(stream.role));
  const auto cores = static_cast<std::size_t>(costs_.cores);
  return computer * cores + static_cast<std::size_t>(stream.role) % cores;
}

bool SimulatedMachine::stays_on_core(Stream stream) const {
  return !workers_cores_.empty() && stream.role < workers_ && stream.kind == StreamKind::compute;
}

/// The operation wants a core, or a card's time, for its `left_ps`.
void SimulatedMachine::start_on_cores(OpIndex op, Stream stream) {
  Running& run = running_[op];
  const double seconds = run.left_ps * 1e-12;
  if (!stays_on_core(stream)) {
    const auto computer = static_cast<std::size_t>(costs_.processes.computer_of(stream.role));
    run.flow = network_.start(cores_[computer], seconds / costs_.precedence, now_.ps, op);
  } else if (turns_.empty()) {
    run.flow = network_.start(workers_cores_[core_of(stream)], seconds, now_.ps, op);
  } else {
    turns_[core_of(stream)].turns.add(op, stream.role, now_.ps);
  }
}

/// Picoseconds of its arithmetic that are still to be done.
double SimulatedMachine::left_on_cores(OpIndex op) const {
  const Running& run = running_[op];
  if (run.flow.order == 0) return run.left_ps;
  const Stream stream = stream_of(op);
  const bool turn = stays_on_core(stream) && !turns_.empty();
  const double efficiency = turn ? turns_[core_of(stream)].efficiency : 1;
  return network_.remaining(run.flow, now_.ps) * 1e12 * efficiency;
}

/// It is cut short: only its `left_ps` is still to be done, in the turn that it has, if any.
void SimulatedMachine::shorten_on_cores(OpIndex op) {
  Running& run = running_[op];
  const Stream stream = stream_of(op);
  if (run.flow.order != 0) network_.cancel(run.flow, now_.ps);
  if (!stays_on_core(stream) || turns_.empty()) return start_on_cores(op, stream);
  Core& core = turns_[core_of(stream)];
  if (core.turns.runs(op)) run_on(core, op);
  if (!core.turns.holds(op)) start_on_cores(op, stream);
}

void SimulatedMachine::leave_cores(OpIndex op, Stream stream) {
  Running& run = running_[op];
  if (run.on_core && !turns_.empty() && stays_on_core(stream)) {
    turns_[core_of(stream)].turns.remove(op, now_.ps);
  }
  count_on_cores(run, stream, false);
}

/// A turn of an operation: the more threads there are, the less its core does.
void SimulatedMachine::run_on(Core& core, OpIndex op) {
  Running& run = running_[op];
  const std::vector<double>& shares = costs_.turns;
  core.efficiency = shares.empty() ? 1 : shares[std::min(core.turns.threads(), shares.size()) - 1];
  const RouteId route = workers_cores_[core_of(stream_of(op))];
  run.flow = network_.start(route, run.left_ps * 1e-12 / core.efficiency, now_.ps, op);
}

/// Once all that happens at this instant has happened.
void SimulatedMachine::begin_turns() {
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    Core& core = turns_[i];
    if (core.turns.idle()) {
      run_on(core, core.turns.begin_turn(now_.ps));
      ++core.generation;
      core.ends = false;
    }
    const std::optional<std::int64_t> end = core.turns.turn_ends(now_.ps);
    if (!end || core.ends) continue;
    core.ends = true;
    agenda_.push(*end, turn_over, static_cast<std::uint32_t>(i), core.generation);
  }
}

void SimulatedMachine::end_turn(std::size_t index) {
  Core& core = turns_[index];
  core.ends = false;
  if (!core.turns.turn_ends(now_.ps)) return;  // nobody waits any more
  const OpIndex op = core.turns.end_turn();
  Running& run = running_[op];
  run.left_ps = left_on_cores(op);
  network_.cancel(run.flow, now_.ps);
  run.flow = {};
}

bool SimulatedMachine::shares_cores(Stream stream) const {
  if (cores_.empty()) return false;
  return costs_.shared_card < 0 ||
         places_[static_cast<std::size_t>(stream.role)] == costs_.shared_card;
}

/// A stream that goes straight on needs nobody to wake it.
bool SimulatedMachine::goes_straight_on(Stream stream) const {
  return last_end_ps_[index_of(stream)] == now_.ps;
}

std::int64_t SimulatedMachine::start_latency_ps(Stream stream) const {
  if (goes_straight_on(stream)) return 0;
  return to_ps(cores_are_busy(stream) ? costs_.busy_operation_start : costs_.operation_start);
}

/// Of the stream's computer: no core is asleep but, at most, the one that wakes. Then threads are
/// woken sooner and for less.
bool SimulatedMachine::cores_are_busy(Stream stream) const {
  const auto computer = static_cast<std::size_t>(costs_.processes.computer_of(stream.role));
  return costs_.cores > 0 && on_cores_[computer] + 1 >= costs_.cores;
}

void SimulatedMachine::count_on_cores(Running& run, Stream stream, bool on) {
  if (costs_.cores == 0 || run.on_core == on) return;
  run.on_core = on;
  on_cores_[static_cast<std::size_t>(costs_.processes.computer_of(stream.role))] += on ? 1 : -1;
}

Seconds SimulatedMachine::passing_on(Stream stream) const {
  return cores_are_busy(stream) ? costs_.busy_passing_on : costs_.passing_on;
}

}  // namespace paceline
