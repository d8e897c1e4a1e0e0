// SPDX-License-Identifier: MIT
/// \file
/// Where roles stand, and the CUDA streams of those that stand on a GPU, or on some of its SMs.
#pragma once
#include <utility>
#include <vector>

#include "exec/cuda/machine/cuda_arrays.hpp"
#include "exec/cuda/machine/green_contexts.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "training/roles/command.hpp"

namespace paceline::cuda {

class RoleStreams {
 public:
  /// `devices`: by role, the GPU or kOnHost. Makes every stream at once.
  explicit RoleStreams(std::vector<int> devices) : RoleStreams(std::move(devices), nullptr, {}) {}
  /// All on one card that is split: `groups` says which part each role has, kWholeCard also of
  /// those on the host. `green` must outlive this; null: nothing is split.
  RoleStreams(std::vector<int> devices, const GreenContexts* green, std::vector<int> groups);

  int device(RoleId role) const { return devices_[static_cast<std::size_t>(role)]; }
  const std::vector<int>& devices() const { return devices_; }
  /// Makes the role's device the current one and, while the answer lives, its part of the card.
  /// Requires that the role stands on a GPU.
  GreenContexts::Current enter(RoleId role) const;
  /// Requires that the role stands on a GPU and the stream is not `input`, which are threads'.
  cudaStream_t of(Stream stream) const { return streams_[lane(stream)].get(); }
  /// Number of a stream among all of them.
  static std::size_t lane(Stream stream) {
    return static_cast<std::size_t>(stream.role) * kStreamKinds +
           static_cast<std::size_t>(stream.kind);
  }
  std::size_t lanes() const { return streams_.size(); }
  /// Waits until nothing is left in any of them; errors are ignored.
  void drain() const;

 private:
  int group(RoleId role) const {
    return green_ == nullptr ? kWholeCard : groups_[static_cast<std::size_t>(role)];
  }

  std::vector<int> devices_;
  const GreenContexts* green_;
  std::vector<int> groups_;  ///< by role
  std::vector<DeviceStream> streams_;
};

}  // namespace paceline::cuda
