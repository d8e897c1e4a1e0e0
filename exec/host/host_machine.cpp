// SPDX-License-Identifier: MIT
#include "exec/host/host_machine.hpp"

#include <stdexcept>

#include "exec/host/usable_cores.hpp"

namespace paceline {

HostMachine::HostMachine(const Plan& plan, Learning& learning, TimeSource& time,
                         Elsewhere* elsewhere)
    : RealMachine(plan, time, elsewhere), learning_(learning), cores_(usable_cores()) {}

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
    if (!copy_between_processes(command)) learning_.perform(command);
    return Outcome::done;  // what was begun finishes
  }
  const auto stop = [this, work = command.work] { return given_up(work); };
  learning_.compute(command, stop);
  return stop() ? Outcome::cancelled : Outcome::done;
}

/// On a stream's thread.
bool HostMachine::copy_between_processes(const Command& command) {
  if (command.kind != Command::Kind::copy) return false;
  if (runs_elsewhere(command.to.role)) {
    elsewhere()->push(command, learning_.buffers().lend(command.from).floats);
  } else if (runs_elsewhere(command.from.role)) {
    elsewhere()->fetch(command, learning_.buffers().open(command.to));
  } else {
    return false;
  }
  return true;
}

}  // namespace paceline
