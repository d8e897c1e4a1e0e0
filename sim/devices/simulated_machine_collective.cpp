// SPDX-License-Identifier: MIT
// The machine's own all-reduce: rings over its fastest links, and what they take from arithmetic.
#include <algorithm>

#include "sim/devices/simulated_machine.hpp"

namespace paceline {

void SimulatedMachine::begin_collective(OpIndex op, Stream stream, const Command& command) {
  const std::size_t ordinal = collective_count_[static_cast<std::size_t>(stream.role)]++;
  if (ordinal >= collectives_.size()) collectives_.resize(ordinal + 1);
  Collective& call = collectives_[ordinal];
  call.ops.push_back(op);
  call.bytes = command.from.slice.bytes;
  if (static_cast<int>(call.ops.size()) < command.group) return;
  if (ring_.rings.empty()) lay_rings(command.group);
  const Seconds latency =
      costs_.collective.launch + costs_.collective.step_latency * (2.0 * (command.group - 1));
  set_gpu_speed(1 - costs_.collective.contention.fraction);
  agenda_.push((now_ + latency).ps, collective_start, static_cast<std::uint32_t>(ordinal));
}

void SimulatedMachine::lay_rings(int ranks) {
  ring_ = find_native_rings(machine_, {places_.begin(), places_.begin() + ranks},
                            costs_.collective.rings);
  for (const std::vector<int>& ring : ring_.rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Path& way = paths_->between(ring[i], ring[(i + 1) % ring.size()]);
      if (!way.free) ring_edges_.push_back(&way);
    }
  }
}

void SimulatedMachine::start_collective(std::size_t ordinal) {
  Collective& call = collectives_[ordinal];
  const auto ranks = static_cast<double>(call.ops.size());
  const double bytes =
      2 * (ranks - 1) / ranks * call.bytes / static_cast<double>(ring_.rings.size());
  call.flows_left = static_cast<int>(ring_edges_.size());
  for (const Path* edge : ring_edges_) {
    const Percent share =
        edge->staged ? costs_.collective.staged_efficiency : costs_.collective.efficiency;
    ++flows_;
    network_.start(edge->route, bytes / share.fraction, now_.ps,
                   kCollectiveFlow | static_cast<std::uint32_t>(ordinal));
  }
  if (call.flows_left == 0) finish_collective(ordinal);
}

void SimulatedMachine::finish_collective(std::size_t ordinal) {
  set_gpu_speed(1);
  const std::vector<OpIndex> ops = std::move(collectives_[ordinal].ops);
  for (const OpIndex op : ops) ended(op, Outcome::done);
}

/// Arithmetic on GPUs goes on at another speed.
void SimulatedMachine::set_gpu_speed(double speed) {
  if (speed == gpu_speed_) return;
  for (const OpIndex op : on_gpus_) {
    Running& run = running(op);
    run.left_ps -= static_cast<double>(now_.ps - run.since_ps) * gpu_speed_;
    run.left_ps = std::max(run.left_ps, 0.0);
    run.since_ps = now_.ps;
    schedule(op, in_ps(round_ps(run.left_ps / speed)));
  }
  gpu_speed_ = speed;
}

}  // namespace paceline
