// SPDX-License-Identifier: MIT
#include "exec/host/host_machine.hpp"

#include <stdexcept>

#include "exec/host/usable_cores.hpp"

namespace paceline {

HostMachine::HostMachine(const Plan& plan, Learning& learning, TimeSource& time,
                         Elsewhere* elsewhere)
    : RealMachine(plan, time, elsewhere),
      learning_(learning),
      cores_(usable_cores()),
      borders_(static_cast<std::size_t>(plan.workers)) {}

std::optional<int> HostMachine::core_of(Stream stream) const {
  if (stream.kind != StreamKind::compute || stream.role >= plan().workers) return std::nullopt;
  return stream.role % cores_;
}

bool HostMachine::begin(OpIndex op, Stream stream, const Command& command) {
  if (command.kind == Command::Kind::collective) {
    throw std::runtime_error("the host has no all-reduce of its own");
  }
  give_to_thread(op, stream, command);
  return false;
}

/// On a stream's thread.
Outcome HostMachine::perform(const Command& command) {
  if (command.kind == Command::Kind::delay) return sleep(command);
  if (command.kind != Command::Kind::compute) {
    if (!fetch_from_elsewhere(command)) learning_.perform(command);
    return Outcome::done;  // what was begun finishes
  }
  const WorkId work = command.work;
  // arithmetic asks before each layer, and may go on asking after the last
  const auto layers = static_cast<std::size_t>(command.layers.last - command.layers.first);
  std::vector<Instant>& borders = borders_[static_cast<std::size_t>(work.worker)];
  borders.clear();
  const bool notes = parts_wanted();
  bool stopped = false;
  const auto stop = [&] {
    if (notes && borders.size() <= layers) borders.push_back(time().now());
    return stopped = given_up(work);
  };
  const Instant began = time().now();
  learning_.compute(command, stop);
  const double slowdown = plan().slowdown_of(work.worker);
  if (slowdown > 1 && !stop()) {
    // a slow worker is one that computes for longer: it keeps its core busy
    const Seconds whole = (time().now() - began) * slowdown;
    time().stay_busy(began + whole, [&] { return stopped = given_up(work); });
  }
  if (stopped && !borders.empty() && borders.size() <= layers) {
    borders.pop_back();  // of a layer that never ran
  }
  return given_up(work) ? Outcome::cancelled : Outcome::done;
}

/// On a stream's thread.
bool HostMachine::fetch_from_elsewhere(const Command& command) {
  if (command.kind != Command::Kind::copy || !runs_elsewhere(command.from.role)) return false;
  elsewhere()->fetch(command, learning_.buffers().open(command.to));
  return true;
}

}  // namespace paceline
