// SPDX-License-Identifier: MIT
#include "training/strategies/delayed_mini_batch.hpp"

namespace paceline {

Token queue_forward(const Plan& plan, Backend& backend, WorkId work,
                    std::span<BucketTokens> buckets) {
  const Stream compute{work.worker, StreamKind::compute};
  if (plan.delay) {
    // the delay starts where forward would: when the worker has the first weights that it needs
    backend.delay(compute, plan.delay(work.worker, work.step), work, buckets.back().weights);
  }
  Token forward;
  for (std::size_t i = buckets.size(); i-- > 0;) {
    const Bucket& bucket = plan.cut.buckets[i];
    forward = backend.compute(compute, {Pass::forward, bucket.first_layer, bucket.last_layer}, work,
                              buckets[i].weights);
  }
  return forward;
}

void queue_backward(const Plan& plan, Backend& backend, WorkId work,
                    std::span<BucketTokens> buckets, Token ready) {
  const Stream compute{work.worker, StreamKind::compute};
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const Bucket& bucket = plan.cut.buckets[i];
    const After after =
        i == 0 && ready != Token{} ? After{buckets[i].pushed, ready} : After{buckets[i].pushed};
    buckets[i].gradient = backend.compute(
        compute, {Pass::backward, bucket.first_layer, bucket.last_layer}, work, after);
  }
}

void queue_mini_batch(const Plan& plan, Backend& backend, WorkId work,
                      std::span<BucketTokens> buckets) {
  queue_forward(plan, backend, work, buckets);
  queue_backward(plan, backend, work, buckets, {});
}

Token queue_link_delay(const Plan& plan, Backend& backend, WorkId work, Token ready) {
  if (!plan.link_delay) return ready;
  // no part of the mini-batch's own time: of no mini-batch
  return backend.delay({work.worker, StreamKind::push}, plan.link_delay(work.worker, work.step), {},
                       ready);
}

}  // namespace paceline
