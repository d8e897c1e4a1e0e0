// SPDX-License-Identifier: MIT
/// \file
/// The input pipeline of a worker: its loaders read records and prepare items, `prefetch`
/// mini-batches ahead, and mini-batches are copied to the worker, `staging` ahead.
///
///     loader   read, prepare batch k     after batch k - prefetch has left the loader's memory
///     copy     of batch k to the worker  after batch k is prepared, and the worker wants
///                                        batch k - staging
///     worker   forward on batch k        after its copy
///
/// Without prefetch a batch is loaded when the worker wants it. All of it is device order: no step
/// of the pipeline is a decision of the host. A mini-batch that is cancelled has used its batch up.
#pragma once
#include <cstdint>
#include <deque>

#include "training/strategies/plan.hpp"

namespace paceline {

class WorkerInput {
 public:
  /// The arguments must outlive this.
  WorkerInput(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan), backend_(backend), me_(me) {}

  /// Queues a mini-batch's wait for its items on the worker's compute stream, from when that has
  /// come so far and `ready` is complete. Nothing where items are there without loaders.
  void queue_wait(WorkId work, Token ready);

  /// The buffers that it adds to those of a worker, and those of a loader.
  static RoleBuffers::Slots slots_of_worker(const Plan& plan);
  static RoleBuffers::Slots slots_of_loader(const Plan& plan);

 private:
  RoleId first_loader(std::int64_t batch) const {
    return plan_.loader(me_, static_cast<int>(batch % plan_.input.loaders));
  }
  BufferRef prepared_in(std::int64_t batch) const;
  Slice items() const { return share(0, 1); }
  Slice share(int number, int of) const;
  void load(Token begin);
  Token load_share(RoleId loader, const BufferRef& into, const Slice& slice, Token begin);
  Token bring(Token wanted);

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  std::int64_t loaded_ = 0;  ///< batches that are queued to be loaded, and to be copied
  std::int64_t brought_ = 0;
  std::deque<Token> prepared_;  ///< of the batches from `brought_` on
  std::deque<Token> copied_;    ///< of the batches from the worker's next one on
};

}  // namespace paceline
