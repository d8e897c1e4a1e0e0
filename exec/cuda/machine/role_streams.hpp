// SPDX-License-Identifier: MIT
/// \file
/// Where roles stand, and the CUDA streams of those that stand on a GPU.
#pragma once
#include <vector>

#include "exec/cuda/machine/cuda_arrays.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "training/roles/command.hpp"

namespace paceline::cuda {

class RoleStreams {
 public:
  /// `devices`: by role, the GPU or kOnHost. Makes every stream at once.
  explicit RoleStreams(std::vector<int> devices);

  int device(RoleId role) const { return devices_[static_cast<std::size_t>(role)]; }
  const std::vector<int>& devices() const { return devices_; }
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
  std::vector<int> devices_;
  std::vector<DeviceStream> streams_;
};

}  // namespace paceline::cuda
