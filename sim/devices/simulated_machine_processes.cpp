// SPDX-License-Identifier: MIT
// Several processes: what is between them that one process does not have.
#include "sim/devices/simulated_machine.hpp"

namespace paceline {

/// What a copy between processes waits for before its bytes travel. A push is over when they have
/// come: the stream goes on before its sender knows.
std::int64_t SimulatedMachine::talk_ps(const Path& way, Stream stream,
                                       const Command& command) const {
  if (way.request_ps == 0) return 0;
  // what is measured of TCP begins when the stream's thread is awake
  const bool fetches = command.from.role != stream.role;
  return later_ps(start_latency_ps(stream), fetches ? way.request_ps : 0);
}

bool SimulatedMachine::forward(RoleId to, const Message& message) {
  const ProcessCosts& processes = costs_.processes;
  if (!processes.several() || processes.of(message.from) == processes.of(to)) return false;
  const std::int64_t at_ps = in_ps(to_ps(processes.latency) / 2);
  agenda_.push(at_ps, letter, letters_.keep({to, message}));
  return true;
}

}  // namespace paceline
