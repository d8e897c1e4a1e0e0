// SPDX-License-Identifier: MIT
// Several processes: what is between them that one process does not have.
#include "sim/devices/simulated_machine.hpp"

namespace paceline {

/// A copy into another process has arrived; one from it needs nobody's answer.
bool SimulatedMachine::await_acknowledgement(OpIndex op) {
  Running& run = running(op);
  if (run.path == nullptr || run.path->acknowledged_ps == 0) return false;
  const std::int64_t wait_ps = run.path->acknowledged_ps;
  carry_out(command(op));
  tell_arrival(op);
  schedule(op, now_.ps + wait_ps);
  return true;
}

bool SimulatedMachine::forward(RoleId to, const Message& message) {
  const ProcessCosts& processes = costs_.processes;
  if (!processes.several() || processes.of(message.from) == processes.of(to)) return false;
  const std::int64_t at_ps = now_.ps + to_ps(processes.latency) / 2;
  agenda_.push(at_ps, letter, letters_.keep({to, message}));
  return true;
}

}  // namespace paceline
