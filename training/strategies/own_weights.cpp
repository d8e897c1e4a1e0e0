// SPDX-License-Identifier: MIT
#include "training/strategies/own_weights.hpp"

namespace paceline {

RoleBuffers worker_buffers(const Plan& plan, bool optimizes) {
  return {plan.whole(), {{Buffer::weights}, {Buffer::gradient}}, optimizes};
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
  const float scale = 1.0F / static_cast<float>(gradients);
  if (plan.rule.local_steps > 1) {
    return backend.assign(compute, {weights, gradient, plan.whole(), version, scale}, summed);
  }
  Command::Update update{weights, gradient, plan.whole(), {}};
  update.moment.scale = scale;
  update.moment.version = version;
  update.moment.age.rounds = static_cast<double>(version - 1);
  return backend.update(compute, update, summed);
}

void queue_mini_batches(const Plan& plan, Backend& backend, RoleId me, std::int64_t update,
                        std::span<BucketTokens> buckets, Token unread) {
  const int steps = plan.rule.local_steps;
  for (std::int64_t step = update * steps; step < (update + 1) * steps; ++step) {
    queue_mini_batch(plan, backend, {me, step}, buckets);
    if (steps == 1) return;
    const Token updated = queue_local_update(plan, backend, {me, step}, unread);
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
  }
  // of local steps the weights are summed, not the last gradient
  const Token ready = backend.assign({me, StreamKind::compute},
                                     {{me, Buffer::gradient}, {me, Buffer::weights}, plan.whole()});
  for (BucketTokens& bucket : buckets) bucket.gradient = ready;
}

}  // namespace paceline
