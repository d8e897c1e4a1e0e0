// SPDX-License-Identifier: MIT
/// \file
/// The placement of roles, and the CUDA streams of the roles on a GPU or on some of its SMs.
#pragma once
#include <utility>
#include <vector>

#include "exec/cuda/machine/cuda_arrays.hpp"
#include "exec/cuda/machine/green_contexts.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "training/runtime/command.hpp"

namespace paceline::cuda {

/// A stream is made when it is first needed: a card has few hardware queues, and streams that
/// share one wait for each other. Not thread-safe.
class RoleStreams {
 public:
  /// `devices`: for each role its GPU or kOnHost.
  explicit RoleStreams(std::vector<int> devices)
      : RoleStreams(std::move(devices), {}, nullptr, {}) {}
  /// `pushes_at`: for each role the one that its push stream is beside: a loader's copies to its
  /// worker are on the worker's GPU; empty: each is beside its own role. For roles on one split
  /// card: `groups` has the group of each role, kWholeCard also for roles on the host. `green` must
  /// outlive this; null: no card is split.
  RoleStreams(std::vector<int> devices, std::vector<RoleId> pushes_at, const GreenContexts* green,
              std::vector<int> groups);

  /// Or kOnHost: the stream is a thread.
  int device(Stream stream) const { return devices_[static_cast<std::size_t>(place(stream))]; }
  /// Of what the role computes.
  int device(RoleId role) const { return device({role, StreamKind::compute}); }
  /// Makes the stream's device current and, for the lifetime of the result, its group's context.
  /// Requires that the stream is on a GPU.
  GreenContexts::Current enter(Stream stream) const;
  /// Requires that the stream is on a GPU and not `input`, which is a thread.
  /// May make its device current, so call it before enter().
  cudaStream_t of(Stream stream) const;
  /// Index of a stream among all streams.
  static std::size_t lane(Stream stream) {
    return static_cast<std::size_t>(stream.role) * kStreamKinds +
           static_cast<std::size_t>(stream.kind);
  }
  std::size_t lanes() const { return streams_.size(); }
  /// The most streams that there are on one card.
  int most_on_a_card() const;
  /// Waits until all streams are empty; ignores errors.
  void drain() const;

 private:
  RoleId place(Stream stream) const {
    const bool moved = stream.kind == StreamKind::push && !pushes_at_.empty();
    return moved ? pushes_at_[static_cast<std::size_t>(stream.role)] : stream.role;
  }
  int group(Stream stream) const {
    return green_ == nullptr ? kWholeCard : groups_[static_cast<std::size_t>(place(stream))];
  }

  std::vector<int> devices_;       ///< by role
  std::vector<RoleId> pushes_at_;  ///< by role
  const GreenContexts* green_;
  std::vector<int> groups_;                    ///< by role
  mutable std::vector<DeviceStream> streams_;  ///< by lane; null: not needed yet
};

}  // namespace paceline::cuda
