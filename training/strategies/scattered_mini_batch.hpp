// SPDX-License-Identifier: MIT
/// \file
/// A worker's mini-batch of a batch that lies with the server, for the programs of several
/// strategies: their list of messages, `Kinds`, has grouped::Outputs and grouped::Losses.
#pragma once
#include <span>

#include "training/strategies/distributed_replicated_messages.hpp"
#include "training/strategies/scattered_batch.hpp"

namespace paceline {

/// Queues the copies of the worker's share and its arithmetic; where the server has the loss, it
/// waits for it before backward.
template <class Kinds>
Task<> scattered_mini_batch(const Plan& plan, LossPlacement loss, Backend& backend, WorkId work,
                            MiniBatches& mini_batches, std::span<BucketTokens> buckets) {
  ScatteredBatch batch(plan, backend, work.worker);
  const Token inputs = batch.fetch_inputs(work.step);  // after the weights, on their stream
  for (BucketTokens& bucket : buckets) bucket.weights = inputs;
  const Token forward = mini_batches.queue_forward(work.step, buckets);
  Token ready;
  if (loss == LossPlacement::server) {
    const Token there = batch.push_outputs(forward);
    backend.send(plan.server(0), Kinds::make(work.worker, grouped::Outputs{}), there);
    co_await backend.receive(work.worker);
    ready = batch.fetch_gradients_of_outputs();
  }
  mini_batches.queue_backward(work.step, buckets, ready);
}

}  // namespace paceline
