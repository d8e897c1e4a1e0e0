// SPDX-License-Identifier: MIT
// The place of a role, and the operations that take no time.
#include "sim/devices/simulated_machine.hpp"
#include "training/runtime/operation_report.hpp"

namespace paceline {

int SimulatedMachine::computer_of(RoleId role) const {
  if (machine_.kind() != Machine::Kind::described) return 0;
  return machine_.computer_of_vertex(vertices_[static_cast<std::size_t>(role)]);
}

/// Where it does not depend on the command, none is looked at.
void SimulatedMachine::note_always_free_commands() {
  if (learning_ != nullptr) return;
  note_always_free<Command::Publish>();
  if (paths_->one_memory() && costs_.slice_copy == 0 && costs_.loader_copy == 0)
    note_always_free<Command::Copy>();
  const bool launches = bool{costs_.update_kernels};
  if (costs_.worker_reduce == 0 && costs_.server_reduce == 0 && !launches)
    note_always_free<Command::Reduce>();
  if (observer() != nullptr) return;
  if (costs_.worker_update == 0 && costs_.server_update == 0 && !launches)
    note_always_free<Command::Update>();
  if (layers_.all_free() && lengths_.launches_are_free()) note_always_free<Command::Compute>();
}

bool SimulatedMachine::is_free(Stream stream, const Command& command) const {
  if (const auto* delay = command.as<Command::Delay>()) return delay->ps == 0;
  // an operation on weights has its place in the order of events, however short it is
  if (learning_ != nullptr) return false;
  switch (command.what.index()) {
    case Command::number_of<Command::Compute>(): {
      const LayerRange& layers = command.as<Command::Compute>()->layers;
      const bool seen = ends_gradient(layers) && observer() != nullptr;
      return !seen && lengths_.takes_no_time(layers, command.work);
    }
    case Command::number_of<Command::Copy>(): {
      const Command::Copy& copy = *command.as<Command::Copy>();
      return !copy.announced && copies_->is_free(copy) && lengths_.copy_ps(copy) == 0;
    }
    case Command::number_of<Command::Collective>():
      return false;
    case Command::number_of<Command::StorageRequest>(): {
      const auto& request = *command.as<Command::StorageRequest>();
      return request.ps == 0 && request.latency_ps == 0;
    }
    case Command::number_of<Command::Mark>():
      return command.as<Command::Mark>()->about == Command::Mark::About::nothing;
    case Command::number_of<Command::Publish>():
      return true;
    case Command::number_of<Command::Update>():
    case Command::number_of<Command::Assign>():
      if (observer() != nullptr) return false;
      break;
    default:
      break;
  }
  return lengths_.arithmetic_ps(stream, command) == 0;
}

}  // namespace paceline
