// SPDX-License-Identifier: MIT
/// \file
/// The items of input pipelines. A loader, a thread of the host, draws a mini-batch into pinned
/// memory; a copy brings it, with its targets, to a slot on the worker's GPU, where the network
/// reads it. Which memory is free when is decided by training/strategies/worker_input.hpp.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "training/learning/buffers.hpp"
#include "training/strategies/worker_input.hpp"

namespace paceline::cuda {

class PipelineItems {
 public:
  /// `batches`: the mini-batches of worker 0. Items of a network that does not train stay what they
  /// first were, since their numbers do not matter. `devices`: the GPU of each worker. All
  /// references must outlive this. Throws Error.
  PipelineItems(const Plan& plan, const BatchSetting& batches, bool trains, Buffers& buffers,
                const std::vector<int>& devices);

  /// On a loader's thread: its share of the next batch that it works on. Of one that several share,
  /// the first of them draws all.
  void draw(RoleId loader, const Command::Prepare& prepare);
  /// On a loader's thread: takes the targets of a batch to where its items are copied.
  void move_targets(const Command::Assign& assign);
  /// Queues the copy of the targets of the items that `copy` brings, if it brings items.
  void copy_targets(const Command::Copy& copy, cudaStream_t stream) const;
  /// The mini-batches of a worker, or the batches of its validation, as they arrive in its slots.
  /// This must outlive it.
  std::unique_ptr<BatchSource> source(RoleId worker, Buffer buffer = Buffer::batch) const;

 private:
  /// A sequence of batches: of mini-batches, or of validation.
  struct Kind {
    Kind(const Plan& plan, const LoadedBatches::Kind& kind, const BatchSetting& drawn);

    const BatchSetting batches;
    const std::int32_t kept;                       ///< slots of a loader
    std::vector<std::int64_t> turns;               ///< by loader: batches that it has worked on
    std::vector<std::atomic<std::int64_t>> drawn;  ///< by worker: of those that loaders share
    std::vector<std::vector<char>> filled;         ///< by loader and slot, where nothing trains
    PinnedMemory drawn_targets;                    ///< by loader and slot
    std::vector<DeviceMemory> targets;             ///< by worker, by slot
  };
  class Slots;
  const Kind* find(Buffer buffer) const;
  float* drawn_targets(const Kind& kind, const BufferRef& batch) const;
  std::int64_t slots() const { return plan_.input.staging + 1; }

  const Plan& plan_;
  const bool trains_;
  Buffers& buffers_;
  std::map<Buffer, Kind> kinds_;
};

}  // namespace paceline::cuda
