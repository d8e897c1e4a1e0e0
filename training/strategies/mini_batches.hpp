// SPDX-License-Identifier: MIT
/// \file
/// The work of a mini-batch on a worker's compute stream, which all strategies share: a validation
/// if one is due, the wait for its items, a straggler's delay, then forward, then backward.
#pragma once
#include <span>

#include "training/strategies/worker_input.hpp"

namespace paceline {

/// A bucket in a mini-batch.
struct BucketTokens {
  Token weights;   ///< they are there, so that its layers can go forward
  Token gradient;  ///< its layers have gone backward
  Token pushed;    ///< nothing reads the gradient of an earlier mini-batch any more
};

/// Queues the mini-batches of a worker.
class MiniBatches {
 public:
  /// The arguments must outlive this.
  MiniBatches(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan), backend_(backend), me_(me), input_(plan, backend, me) {}

  /// Queues the validation that is due, the wait for input, a delay and then forward, the layers of
  /// each bucket after its weights (or all after those of the last bucket without overlap), and
  /// backward bucket by bucket, each after `pushed`; sets the gradients' tokens. Where several
  /// mini-batches make one contribution, the gradients of all but the last are kept in a second
  /// buffer, and added to the last one's.
  void queue(std::int64_t step, std::span<BucketTokens> buckets);

  /// Its two halves. `ready`: what backward waits for besides `pushed`.
  Token queue_forward(std::int64_t step, std::span<BucketTokens> buckets);
  void queue_backward(std::int64_t step, std::span<BucketTokens> buckets, Token ready);

  /// Queues the mini-batches of one update: one, several with their gradients added up, or H that
  /// each update the worker's own weights, which are then in the gradient's place.
  /// \param unread no other worker reads the weights any more
  void queue_for_update(std::int64_t update, std::span<BucketTokens> buckets, Token unread = {});

 private:
  void queue_validation(WorkId work, std::span<const BucketTokens> buckets);
  Token add_up(std::int64_t step, const Bucket& bucket);

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  WorkerInput input_;
  std::int64_t validated_ = 0;  ///< batches of the worker's validations so far
};

/// Queues the delay of what a mini-batch sends, from when its first gradient is `ready`; all that
/// is pushed later waits for it. Returns `ready` where nothing is late.
/// \param outlives the delay goes on if the mini-batch is cancelled, as the push behind it does
Token queue_link_delay(const Plan& plan, Backend& backend, WorkId work, Token ready,
                       bool outlives = false);

}  // namespace paceline
