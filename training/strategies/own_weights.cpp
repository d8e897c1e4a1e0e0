// SPDX-License-Identifier: MIT
#include "training/strategies/own_weights.hpp"

namespace paceline {

RoleBuffers worker_buffers(const Plan& plan, bool optimizes) {
  const bool adds_up = plan.rule.accumulate > 1;
  return {plan.whole(), {{Buffer::weights}, {Buffer::gradient, adds_up ? 2 : 1}}, optimizes};
}

Token queue_local_update(const Plan& plan, Backend& backend, WorkId work, Token unread) {
  Command::Update update{{work.worker, Buffer::weights}, {work.worker, Buffer::gradient}};
  update.slice = plan.whole();
  update.moment.age.rounds = static_cast<double>(work.step);
  return backend.update({work.worker, StreamKind::compute}, update, unread, work);
}

Token queue_replica_update(const Plan& plan, Backend& backend, RoleId me, std::int64_t version,
                           int gradients, After summed) {
  const Stream compute{me, StreamKind::compute};
  const BufferRef weights{me, Buffer::weights};
  const BufferRef gradient{me, Buffer::gradient};
  const float scale = 1.0F / static_cast<float>(gradients * plan.rule.accumulate);
  if (plan.rule.local_steps > 1) {
    return backend.assign(compute, {weights, gradient, plan.whole(), version, scale}, summed);
  }
  Command::Update update{weights, gradient, plan.whole(), {}};
  update.moment.scale = scale;
  update.moment.version = version;
  update.moment.age.rounds = static_cast<double>((version - 1) * plan.rule.accumulate);
  return backend.update(compute, update, summed);
}

}  // namespace paceline
