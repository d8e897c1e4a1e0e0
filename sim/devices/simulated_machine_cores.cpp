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
  idle_since_ps_.emplace_back(static_cast<std::size_t>(costs_.cores), 0);
  cores_.push_back(network_.add_route({&ahead, 1}, 1 / costs_.precedence));
  const Use use{all, 1.0};
  for (int core = 0; core < costs_.cores; ++core) {
    const std::array<Use, 2> uses{Use{network_.add_resource(1, costs_.turns), 1.0}, use};
    workers_cores_.push_back(network_.add_route(uses, 1.0));
  }
  return all;
}

/// Arithmetic of so many picoseconds on a core, or on a card's time.
FlowId SimulatedMachine::start_on_cores(OpIndex op, Stream stream, double ps) {
  const auto computer = static_cast<std::size_t>(costs_.processes.computer_of(stream.role));
  const bool stays = stream.role < workers_ && stream.kind == StreamKind::compute;
  if (workers_cores_.empty() || !stays)
    return network_.start(cores_[computer], ps * 1e-12 / costs_.precedence, now_.ps, op);
  const auto cores = static_cast<std::size_t>(costs_.cores);
  const std::size_t core = computer * cores + static_cast<std::size_t>(stream.role) % cores;
  return network_.start(workers_cores_[core], ps * 1e-12, now_.ps, op);
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

/// Of the stream's computer: no core is asleep. Then threads are woken sooner and for less.
bool SimulatedMachine::cores_are_busy(Stream stream) const {
  const auto computer = static_cast<std::size_t>(costs_.processes.computer_of(stream.role));
  return costs_.cores > 0 && on_cores_[computer] >= costs_.cores;
}

/// \return the time that its core has been idle, 0 if it shares a busy one. Of several idle cores
/// the last one to become idle is taken: its caches are the warmest.
Seconds SimulatedMachine::take_core(Running& run, Stream stream) {
  if (costs_.cores == 0 || run.on_core) return {};
  run.on_core = true;
  const auto computer = static_cast<std::size_t>(costs_.processes.computer_of(stream.role));
  ++on_cores_[computer];
  std::vector<std::int64_t>& idle = idle_since_ps_[computer];
  if (idle.empty()) return {};
  const std::int64_t since_ps = idle.back();
  idle.pop_back();
  return now_ - Instant{since_ps};
}

void SimulatedMachine::leave_core(Running& run, Stream stream) {
  if (costs_.cores == 0 || !run.on_core) return;
  run.on_core = false;
  const auto computer = static_cast<std::size_t>(costs_.processes.computer_of(stream.role));
  if (--on_cores_[computer] < costs_.cores) idle_since_ps_[computer].push_back(now_.ps);
}

/// What a mini-batch takes longer on a core that has slept. Between two measured lengths on a line,
/// from nothing for a core that has not slept.
Seconds SimulatedMachine::after_sleep(Seconds slept) const {
  AfterSleep before;
  for (const AfterSleep& measured : costs_.after_sleep) {
    if (slept <= measured.slept) {
      const double way = (slept - before.slept) / (measured.slept - before.slept);
      return before.longer + (measured.longer - before.longer) * way;
    }
    before = measured;
  }
  return before.longer;
}

Seconds SimulatedMachine::passing_on(Stream stream) const {
  return cores_are_busy(stream) ? costs_.busy_passing_on : costs_.passing_on;
}

}  // namespace paceline
