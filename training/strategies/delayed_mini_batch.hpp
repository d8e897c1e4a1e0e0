// SPDX-License-Identifier: MIT
/// \file
/// The work of a mini-batch on a worker's compute stream, which all strategies share: a straggler's
/// delay, then forward, then backward.
#pragma once
#include <span>

#include "training/strategies/plan.hpp"

namespace paceline {

/// A bucket in a mini-batch.
struct BucketTokens {
  Token weights;   ///< they are there, so that its layers can go forward
  Token gradient;  ///< its layers have gone backward
  Token pushed;    ///< nothing reads the gradient of an earlier mini-batch any more
};

/// Queues a delay and then forward, the layers of each bucket after its weights (or all after those
/// of the last bucket without overlap), and backward bucket by bucket, each after `pushed`; sets
/// the gradients' tokens.
void queue_mini_batch(const Plan& plan, Backend& backend, WorkId work,
                      std::span<BucketTokens> buckets);

/// Its two halves. `ready`: what backward waits for besides `pushed`.
Token queue_forward(const Plan& plan, Backend& backend, WorkId work,
                    std::span<BucketTokens> buckets);
void queue_backward(const Plan& plan, Backend& backend, WorkId work,
                    std::span<BucketTokens> buckets, Token ready);

/// Queues the delay of what a mini-batch sends, from when its first gradient is `ready`; all that
/// is pushed later waits for it. Returns `ready` where nothing is late.
Token queue_link_delay(const Plan& plan, Backend& backend, WorkId work, Token ready);

}  // namespace paceline
