// SPDX-License-Identifier: MIT
#include "training/strategies/downpour.hpp"

#include "training/strategies/downpour_messages.hpp"
#include "training/strategies/message_ends.hpp"

namespace paceline {

RoleBuffers downpour_buffers(const Plan& plan, RoleId role) {
  if (role < plan.workers) {
    const bool trains_alone = plan.rule.exchange.fetch_every > 1;
    return {
        plan.whole(), {{Buffer::weights}, {Buffer::gradient, 3}, {Buffer::incoming}}, trains_alone};
  }
  return {plan.cut.shards[static_cast<std::size_t>(role - plan.workers)],
          {{Buffer::landing, 2 * plan.workers},
           {Buffer::weights, plan.versions_fetched()},
           {Buffer::snapshot, plan.workers}},
          true};
}

namespace {

using namespace downpour;

struct Ends : MessageEnds {
  static bool is_accrual(std::int32_t accrual) { return accrual == 0 || accrual == 1; }

  using MessageEnds::operator();
  bool operator()(const Fetched&) const { return false; }  // from a replica to itself
  bool operator()(const Computed&) const { return false; }
  bool operator()(const Fetch&) const { return from_worker_to_shard(); }
  bool operator()(const Push& push) const {
    return from_worker_to_shard() && is_accrual(push.accrual);
  }
  bool operator()(const Weights&) const { return from_shard_to_worker(); }
  bool operator()(const Applied& push) const {
    return from_shard_to_worker() && is_accrual(push.accrual);
  }
  bool operator()(const Stop&) const { return from_shard_to_worker(); }
};

}  // namespace

bool is_downpour_message(const Plan& plan, RoleId to, const Message& message) {
  return is_sound_between<Kinds, Ends>(plan, to, message);
}

}  // namespace paceline
