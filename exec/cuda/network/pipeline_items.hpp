// SPDX-License-Identifier: MIT
/// \file
/// The items of input pipelines. A loader, a thread of the host, draws a mini-batch into pinned
/// memory; a copy brings it, with its targets, to a slot on the worker's GPU, where the network
/// reads it. Which memory is free when is decided by training/strategies/worker_input.hpp.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "training/learning/buffers.hpp"
#include "training/strategies/plan.hpp"

namespace paceline::cuda {

class PipelineItems {
 public:
  /// `batches`: those of worker 0. Mini-batches of a network that does not train stay what they
  /// first were, since their numbers do not matter. `devices`: the GPU of each worker. All
  /// references must outlive this. Throws Error.
  PipelineItems(const Plan& plan, const BatchSetting& batches, bool trains, Buffers& buffers,
                const std::vector<int>& devices);

  /// On a loader's thread: its share of the next mini-batch that it works on. Of one that several
  /// share, the first of them draws all.
  void draw(RoleId loader, const Command::Prepare& prepare);
  /// Queues the copy of the targets of the items that `copy` brings.
  void copy_targets(const Command::Copy& copy, cudaStream_t stream) const;
  /// The mini-batches of a worker, as they arrive in its slots. This must outlive it.
  std::unique_ptr<BatchSource> source(RoleId worker) const;

 private:
  class Slots;
  float* drawn_targets(const BufferRef& batch) const;
  float* targets_in_slot(RoleId worker, std::int64_t slot) const;
  std::int64_t slots() const { return plan_.input.staging + 1; }

  const Plan& plan_;
  const BatchSetting batches_;
  const bool trains_;
  Buffers& buffers_;
  const std::int32_t kept_;                       ///< mini-batches that a loader keeps at a time
  std::vector<std::int64_t> turns_;               ///< by loader: mini-batches that it has worked on
  std::vector<std::atomic<std::int64_t>> drawn_;  ///< by worker: of those that loaders share
  std::vector<std::vector<char>> filled_;         ///< by loader and slot, where nothing trains
  PinnedMemory drawn_targets_;                    ///< by loader and slot
  std::vector<DeviceMemory> targets_;             ///< by worker, by slot
};

}  // namespace paceline::cuda
