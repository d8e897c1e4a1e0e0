// SPDX-License-Identifier: MIT
// The place of a role, and the time that an operation takes on a processor of its own.
#include "sim/devices/simulated_machine.hpp"
#include "sim/devices/step_variation.hpp"

namespace paceline {

double SimulatedMachine::update_launches_ps(RoleId role, const Slice& slice) const {
  if (!costs_.update_kernels || !on_gpu(role)) return 0;
  return costs_.update_kernels.of(slice).value() * 1e12;
}

int SimulatedMachine::computer_of(RoleId role) const {
  if (machine_.kind() != Machine::Kind::described) return 0;
  return machine_.computer_of_vertex(vertices_[static_cast<std::size_t>(role)]);
}

/// Of a copy within one memory. Only two take time: a slice of a worker's data set, and a
/// checkpoint of what is in the host's memory.
double SimulatedMachine::copy_ps(const Command::Copy& copy) const {
  if (copy.from.buffer == Buffer::dataset) return copy.slice.bytes * costs_.slice_copy * 1e12;
  if (copy.to.role >= costs_.writers) return copy.slice.bytes * costs_.loader_copy * 1e12;
  return 0;
}

double SimulatedMachine::arithmetic_ps(Stream stream, const Command& command) const {
  if (const auto* prepare = command.as<Command::Prepare>()) return static_cast<double>(prepare->ps);
  if (const auto* copy = command.as<Command::Copy>()) return copy_ps(*copy);
  if (stream.role >= costs_.programs) {  // a loader: what else it does is to copy
    const auto* assign = command.as<Command::Assign>();
    return assign != nullptr ? assign->slice.bytes * costs_.loader_copy * 1e12 : 0;
  }
  const bool worker = stream.role < workers_;
  const double slower = worker ? costs_.memory_slowdown_of(stream.role)
                               : costs_.server_slowdown_of(stream.role - workers_);
  const double update = slower * (worker ? costs_.worker_update : costs_.server_update);
  const double sum = slower * (worker ? costs_.worker_reduce : costs_.server_reduce);
  if (const auto* compute = command.as<Command::Compute>()) {
    double ps = static_cast<double>(layers_.duration(compute->layers, command.work));
    ps *= costs_.slowdown_of(command.work.worker);
    return costs_.variation > 0 ? ps * step_variation(costs_, command.work) : ps;
  }
  if (const auto* update_command = command.as<Command::Update>())
    return update_command->slice.bytes * update * 1e12 +
           update_launches_ps(stream.role, update_command->slice);
  if (const auto* reduce = command.as<Command::Reduce>()) {
    // workers add parts of a collective, not tensors
    const double launches = worker ? 0 : update_launches_ps(stream.role, reduce->slice);
    return reduce->slice.bytes * sum * 1e12 + launches * costs_.update_kernels.of_sum;
  }
  // a sum reads two words for each number and writes one
  if (const auto* encode = command.as<Command::Encode>())
    return encode->slice.bytes * sum * encode->codec.encode_traffic(encode->slice.size()) / 3 *
           1e12;
  if (const auto* decode = command.as<Command::Decode>())
    return decode->slice.bytes * sum *
           decode->codec.decode_traffic(decode->slice.size(), decode->fresh) / 3 * 1e12;
  if (const auto* assign = command.as<Command::Assign>()) return assign->slice.bytes * sum * 1e12;
  return 0;
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
    return !copy->announced && copies_->is_free(*copy) && copy_ps(*copy) == 0;
  }
  if (command.is<Command::Collective>()) return false;
  if (const auto* read = command.as<Command::StorageRequest>()) return read->ps == 0;
  if (const auto* mark = command.as<Command::Mark>()) {
    return mark->about == Command::Mark::About::nothing;
  }
  const bool reported = command.is<Command::Update>() || command.is<Command::Assign>();
  return !(reported && observer() != nullptr) && arithmetic_ps(stream, command) == 0;
}

}  // namespace paceline
