// SPDX-License-Identifier: MIT
#include "training/strategies/delayed_mini_batch.hpp"

namespace paceline {

void queue_mini_batch(const Plan& plan, Backend& backend, WorkId work,
                      std::span<BucketTokens> buckets) {
  const Stream compute{work.worker, StreamKind::compute};
  if (plan.delay) {
    // the delay starts where forward would: when the worker has the first weights that it needs
    backend.delay(compute, plan.delay(work.worker, work.step), work, buckets.back().weights);
  }
  for (std::size_t i = buckets.size(); i-- > 0;) {
    const Bucket& bucket = plan.cut.buckets[i];
    backend.compute(compute, {Pass::forward, bucket.first_layer, bucket.last_layer}, work,
                    buckets[i].weights);
  }
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const Bucket& bucket = plan.cut.buckets[i];
    buckets[i].gradient = backend.compute(
        compute, {Pass::backward, bucket.first_layer, bucket.last_layer}, work, buckets[i].pushed);
  }
}

Token queue_link_delay(const Plan& plan, Backend& backend, WorkId work, Token ready) {
  if (!plan.link_delay) return ready;
  // no part of the mini-batch's own time: of no mini-batch
  return backend.delay({work.worker, StreamKind::push}, plan.link_delay(work.worker, work.step), {},
                       ready);
}

}  // namespace paceline
