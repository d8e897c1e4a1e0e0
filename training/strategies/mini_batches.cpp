// SPDX-License-Identifier: MIT
#include "training/strategies/mini_batches.hpp"

#include "training/strategies/own_weights.hpp"

namespace paceline {

Token MiniBatches::queue_forward(std::int64_t step, std::span<BucketTokens> buckets) {
  const WorkId work{me_, step};
  const Stream compute{me_, StreamKind::compute};
  if (plan_.validation.due(step)) queue_validation(work, buckets);
  // items are waited for, and a delay starts, where forward would: when the worker has the first
  // weights that it needs
  const Token first_weights = buckets.back().weights;
  input_.queue_wait(work, first_weights);
  if (plan_.delay) backend_.delay(compute, plan_.delay(me_, step), work, first_weights);
  Token forward;
  for (std::size_t i = buckets.size(); i-- > 0;) {
    const Bucket& bucket = plan_.cut.buckets[i];
    forward = backend_.compute(compute, {Pass::forward, bucket.first_layer, bucket.last_layer},
                               work, buckets[i].weights);
  }
  return forward;
}

/// It begins with all weights: of a mini-batch that is cancelled between two operations, the last
/// may end while the first still reads weights.
void MiniBatches::queue_validation(WorkId work, std::span<const BucketTokens> buckets) {
  const Stream compute{me_, StreamKind::compute};
  Token ready;
  for (const BucketTokens& bucket : buckets)
    ready = backend_.mark(compute, {ready, bucket.weights});
  for (int pass = 0; pass < plan_.validation.passes; ++pass, ++validated_) {
    input_.queue_validation_wait(work, ready);
    for (std::size_t i = buckets.size(); i-- > 0;) {
      const Bucket& bucket = plan_.cut.buckets[i];
      backend_.validate(compute, {Pass::validation, bucket.first_layer, bucket.last_layer},
                        validated_, work, ready);
    }
  }
}

void MiniBatches::queue_backward(std::int64_t step, std::span<BucketTokens> buckets, Token ready) {
  const Stream compute{me_, StreamKind::compute};
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const Bucket& bucket = plan_.cut.buckets[i];
    const After after =
        i == 0 && ready != Token{} ? After{buckets[i].pushed, ready} : After{buckets[i].pushed};
    buckets[i].gradient = backend_.compute(
        compute, {Pass::backward, bucket.first_layer, bucket.last_layer}, {me_, step}, after);
    if (plan_.rule.accumulate > 1) buckets[i].gradient = add_up(step, bucket);
  }
}

/// Adds a gradient to those of the mini-batches before it, or those to the last one's.
Token MiniBatches::add_up(std::int64_t step, const Bucket& bucket) {
  const std::int64_t number = step % plan_.rule.accumulate;
  const bool last = number + 1 == plan_.rule.accumulate;
  const BufferRef computed{me_, Buffer::gradient}, kept{me_, Buffer::gradient, 1};
  Command::Reduce sum{last ? computed : kept, last ? kept : computed, bucket.slice};
  sum.fresh = number == 0;
  return backend_.reduce({me_, StreamKind::compute}, sum);
}

void MiniBatches::queue(std::int64_t step, std::span<BucketTokens> buckets) {
  queue_forward(step, buckets);
  queue_backward(step, buckets, {});
}

void MiniBatches::queue_for_update(std::int64_t update, std::span<BucketTokens> buckets,
                                   Token unread) {
  const int steps = plan_.rule.steps();
  for (std::int64_t step = update * steps; step < (update + 1) * steps; ++step) {
    queue(step, buckets);
    if (plan_.rule.local_steps == 1) continue;
    const Token updated = queue_local_update(plan_, backend_, {me_, step}, unread);
    for (BucketTokens& bucket : buckets) bucket.weights = updated;
  }
  if (plan_.rule.local_steps == 1) return;
  // of local steps the weights are summed, not the last gradient
  const Token ready = backend_.assign(
      {me_, StreamKind::compute}, {{me_, Buffer::gradient}, {me_, Buffer::weights}, plan_.whole()});
  for (BucketTokens& bucket : buckets) bucket.gradient = ready;
}

Token queue_link_delay(const Plan& plan, Backend& backend, WorkId work, Token ready,
                       bool outlives) {
  if (!plan.link_delay) return ready;
  return backend.delay({work.worker, StreamKind::push}, plan.link_delay(work.worker, work.step),
                       outlives ? WorkId{} : work, ready);
}

}  // namespace paceline
