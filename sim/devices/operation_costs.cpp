// SPDX-License-Identifier: MIT
#include "sim/devices/operation_costs.hpp"

#include "sim/devices/step_variation.hpp"

namespace paceline {

double OperationCosts::update_launches_ps(RoleId role, const Slice& slice) const {
  if (!costs_.update_kernels || !on_gpu(role)) return 0;
  return costs_.update_kernels.of(slice).value() * 1e12;
}

bool OperationCosts::on_gpu(RoleId role) const {
  const int vertex = vertices_[static_cast<std::size_t>(role)];
  return machine_.kind() == Machine::Kind::described && machine_.kind_of(vertex) == VertexKind::gpu;
}

/// Only two take time: a slice of a worker's data set, and a checkpoint of what is in the host's
/// memory.
double OperationCosts::copy_ps(const Command::Copy& copy) const {
  if (copy.from.buffer == Buffer::dataset) return copy.slice.bytes * costs_.slice_copy * 1e12;
  if (copy.to.role >= costs_.writers) return copy.slice.bytes * costs_.loader_copy * 1e12;
  return 0;
}

double OperationCosts::arithmetic_ps(Stream stream, const Command& command) const {
  if (const auto* compute = command.as<Command::Compute>()) {
    const double variation = costs_.variation > 0 ? step_variation(costs_, command.work) : 1;
    return compute_ps(layers_.duration(compute->layers, command.work), command.work.worker,
                      variation);
  }
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

}  // namespace paceline
