// SPDX-License-Identifier: MIT
#include "training/strategies/parameter_server.hpp"

#include "training/strategies/encoded_gradient.hpp"
#include "training/strategies/message_ends.hpp"
#include "training/strategies/own_weights.hpp"
#include "training/strategies/parameter_server_messages.hpp"

namespace paceline {

RoleBuffers parameter_server_buffers(const Plan& plan, RoleId role) {
  const bool averages = plan.rule.local_steps > 1;
  if (role < plan.workers) {
    RoleBuffers worker = worker_buffers(plan, plan.replicas || averages);
    add_encoding_buffers(plan, worker);
    return worker;
  }
  RoleBuffers buffers;
  buffers.part = plan.cut.shards[static_cast<std::size_t>(role - plan.workers)];
  buffers.slots = {{Buffer::landing, (plan.replicas ? 2 : 1) * plan.workers}};
  if (plan.encodes())
    buffers.slots.front().size = EncodedGradient(plan).landing(role - plan.workers);
  if (plan.replicas) return buffers;
  buffers.slots.push_back({Buffer::weights, plan.takes_all() ? 3 : plan.versions_fetched()});
  buffers.slots.push_back({Buffer::snapshot, plan.workers});
  if (plan.sums_apart()) buffers.slots.push_back({Buffer::gradient});
  buffers.optimizes = !averages;
  return buffers;
}

namespace {

using namespace parameter_server;

struct Ends : MessageEnds {
  using MessageEnds::operator();
  bool operator()(const Back& back) const {
    return MessageEnds::operator()(back) || (from_leader_to_shard() && is_worker(back.worker));
  }
  bool operator()(const Gradient&) const { return from_worker_to_leader(); }
  bool operator()(const Accepted& gradient) const {
    return from_leader_to_shard() && is_worker(gradient.worker);
  }
  bool operator()(const Lost& lost) const {
    return from_leader_to_shard() && is_worker(lost.worker);
  }
  bool operator()(const Weights& weights) const {
    return from_shard_to_worker() && is_worker(weights.sum_at);
  }
  bool operator()(const GoOn&) const { return from_shard_to_worker(); }
  bool operator()(const Stop& stop) const {
    return from_shard_to_worker() && is_worker(stop.sum_at);
  }
};

}  // namespace

bool is_parameter_server_message(const Plan& plan, RoleId to, const Message& message) {
  return is_sound_between<Kinds, Ends>(plan, to, message);
}

}  // namespace paceline
