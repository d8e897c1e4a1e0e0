// SPDX-License-Identifier: MIT
// The place of a role, and the operations that take no time.
#include "sim/devices/simulated_machine.hpp"

namespace paceline {

int SimulatedMachine::computer_of(RoleId role) const {
  if (machine_.kind() != Machine::Kind::described) return 0;
  return machine_.computer_of_vertex(vertices_[static_cast<std::size_t>(role)]);
}

bool SimulatedMachine::is_free(Stream stream, const Command& command) const {
  if (const auto* delay = command.as<Command::Delay>()) return delay->ps == 0;
  // an operation on weights has its place in the order of events, however short it is
  if (learning_ != nullptr) return false;
  if (const auto* compute = command.as<Command::Compute>()) {
    const LayerRange& layers = compute->layers;
    const bool last = layers.pass == Pass::backward && layers.first == 0;
    return layers_.duration(layers, command.work) == 0 && !(last && observer() != nullptr);
  }
  if (const auto* copy = command.as<Command::Copy>()) {
    return !copy->announced && copies_->is_free(*copy) && lengths_.copy_ps(*copy) == 0;
  }
  if (command.is<Command::Collective>()) return false;
  if (const auto* read = command.as<Command::StorageRequest>()) return read->ps == 0;
  if (const auto* mark = command.as<Command::Mark>()) {
    return mark->about == Command::Mark::About::nothing;
  }
  const bool reported = command.is<Command::Update>() || command.is<Command::Assign>();
  return !(reported && observer() != nullptr) && lengths_.arithmetic_ps(stream, command) == 0;
}

}  // namespace paceline
