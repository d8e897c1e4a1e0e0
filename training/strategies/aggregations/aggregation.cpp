// SPDX-License-Identifier: MIT
#include "training/strategies/aggregations/aggregation.hpp"

#include "training/strategies/worker_input.hpp"

namespace paceline {

const Family<Aggregation>& table_of(const Aggregation*) {
  static const Family<Aggregation> table{
      "aggregation",
      {parameter_server_aggregation(), allreduce_aggregation(), replicated_aggregation(),
       distributed_replicated_aggregation(), peer_to_peer_aggregation(), gather_aggregation(),
       concatenated_aggregation(), independent_aggregation()}};
  return table;
}

SharedSchedule Aggregation::schedule(const Plan& plan) const {
  const AllReduce* algorithm = all_reduce();
  if (algorithm == nullptr || plan.workers == 1) return nullptr;
  return algorithm->problem(plan).empty() ? algorithm->schedule(plan) : nullptr;
}

RoleBuffers buffers_of_role(const Aggregation& aggregation, const Plan& plan, RoleId role) {
  const bool has_program = role < plan.programs();
  RoleBuffers buffers;
  if (has_program) buffers = aggregation.buffers(plan, role);
  if (role >= plan.first_writer()) {
    const RoleId holder = plan.first_holder() + role - plan.first_writer();
    buffers.part = aggregation.buffers(plan, holder).part;
    buffers.slots = {{Buffer::landing, plan.checkpoint.copies()}};
  }
  for (const RoleBuffers::Slots& slots : WorkerInput::slots_of(plan, role))
    buffers.slots.push_back(slots);
  return buffers;
}

BufferPlan buffers_of(const Aggregation& aggregation, const Plan& plan,
                      std::optional<int> process) {
  BufferPlan buffers;
  buffers.updates = plan.updates;
  for (RoleId role = 0; role < plan.roles(); ++role) {
    const bool here = !process || plan.process_of(role) == *process;
    buffers.roles.push_back(here ? buffers_of_role(aggregation, plan, role) : RoleBuffers{});
  }
  if (plan.shards == 0 || plan.replicas) {
    const bool trains =
        buffers.roles.front().slots.empty() || buffers.roles.front().count(Buffer::weights) > 0;
    if (trains) buffers.model = {0};
  } else {
    for (int shard = 0; shard < plan.shards; ++shard) buffers.model.push_back(plan.server(shard));
  }
  return buffers;
}

std::vector<std::string> updates_served(const Aggregation& aggregation) {
  return family<UpdatePolicy>().names_where(
      [&](const UpdatePolicy& policy) { return aggregation.serves(policy); });
}

std::optional<Choice<UpdatePolicy>> default_update(const Aggregation& aggregation) {
  const std::vector<std::string> served = updates_served(aggregation);
  if (served.empty()) return std::nullopt;
  return Choice<UpdatePolicy>(served.front());
}

}  // namespace paceline
