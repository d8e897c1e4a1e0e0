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
///
/// A server that scatters batches has loaders in place of the workers, which make the batch of all.
/// Or it stays with the loader that made it, and workers copy it, or their shares, from there.
/// Where loaders are processes, one thread copies each batch that they have made; the copy to the
/// worker follows that.
///
/// The batches of validation are a sequence of their own with the same steps, by the same loaders:
/// the first of the next validation are prepared once the last of this one have left.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "training/runtime/ring_queue.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// A sequence of batches that loaders make for one role.
class LoadedBatches {
 public:
  struct Kind {
    Buffer buffer = Buffer::batch;
    std::int64_t items = 0;   ///< of a batch
    std::int64_t inputs = 0;  ///< numbers that these consist of
    int prefetch = 0;
    int held = 0;  ///< batches that are still copied from where they were loaded
    /// Batches that loaders may have ready.
    std::int32_t ahead() const { return prefetch > 0 ? prefetch : 1; }
    /// Batches that loaders have room for.
    std::int32_t room() const { return ahead() + held; }
    /// Of a loader: its share of them, and all its slots, those for items apart included.
    std::int32_t kept(const Loading& input) const;
    std::int32_t slots_of_loader(const Loading& input) const;
  };
  /// The arguments must outlive this.
  LoadedBatches(const Plan& plan, Backend& backend, RoleId me, const Kind& kind)
      : plan_(plan), backend_(backend), me_(me), kind_(kind) {}

  /// Queues all that brings the next batch. Returns a token for its arrival.
  /// \param wanted the role wants it
  Token next(Token wanted);
  /// The same of a data set that lies in the role's memory.
  Token next_slice(Token wanted);
  /// Where a batch is once it is prepared.
  BufferRef ready_in(std::int64_t batch) const {
    return plan_.input.pins ? pinned_in(batch) : prepared_in(batch);
  }

 private:
  RoleId first_loader(std::int64_t batch) const {
    return plan_.loader(me_, static_cast<int>(batch % plan_.input.loaders));
  }
  BufferRef prepared_in(std::int64_t batch) const;
  BufferRef pinned_in(std::int64_t batch) const;
  Slice all() const { return share(0, 1); }
  Slice share(int number, int of) const;
  void load(Token begin);
  Token load_share(RoleId loader, const BufferRef& into, const Slice& slice, Token begin);
  Token bring(Token wanted);

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  Kind kind_;
  std::int64_t loaded_ = 0;  ///< batches that are queued to be loaded, and to be copied
  std::int64_t brought_ = 0;
  RingQueue<Token> prepared_;  ///< of the batches from `brought_` on
  RingQueue<Token> copied_;    ///< of the batches from the role's next one on
};

class WorkerInput {
 public:
  /// The arguments must outlive this.
  WorkerInput(const Plan& plan, Backend& backend, RoleId me);

  /// Queues a mini-batch's wait for its items on the role's compute stream, from when that has
  /// come so far and `ready` is complete. Returns its end; `ready` where items are there by
  /// themselves.
  Token queue_wait(WorkId work, Token ready) {
    return sequences_ ? queue_wait(sequences_->training, work, ready) : ready;
  }
  /// The same of a validation pass before the mini-batch.
  Token queue_validation_wait(WorkId work, Token ready) {
    return sequences_ ? queue_wait(sequences_->validation, work, ready) : ready;
  }

  /// The batch of a step that workers fetch from: the server's, or that of a loader.
  static BufferRef scattered_from(const Plan& plan, Backend& backend, std::int64_t step);
  /// The sequences of batches that loaders make.
  static std::vector<LoadedBatches::Kind> kinds_of(const Plan& plan);
  /// The buffers of a loader, and those that it adds to the ones of another role.
  static std::vector<RoleBuffers::Slots> slots_of(const Plan& plan, RoleId role);

 private:
  Token queue_wait(LoadedBatches& batches, WorkId work, Token ready);

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  struct Sequences {
    LoadedBatches training, validation;
  };
  std::unique_ptr<Sequences> sequences_;  ///< null: items are there by themselves
};

}  // namespace paceline
