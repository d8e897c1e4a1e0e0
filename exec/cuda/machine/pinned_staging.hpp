// SPDX-License-Identifier: MIT
/// \file
/// Copies between other processes and this process's GPUs, through pinned memory: while one half of
/// it is on its way to or from the GPU, the connection uses the other.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "exec/cuda/machine/cuda_arrays.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "exec/processes/staging.hpp"

namespace paceline::cuda {

class PinnedStaging final : public Staging {
 public:
  /// Of one half.
  static constexpr std::size_t kFloats = std::size_t{1} << 20U;

  /// `devices`: for each role its GPU, or kOnHost. Makes its memory when it first needs it. All
  /// functions throw Error.
  explicit PinnedStaging(std::vector<int> devices) : devices_(std::move(devices)) {}
  ~PinnedStaging() override;

  void write(RoleId role, std::span<float> to, const Fill& fill) override;
  void read(RoleId role, std::span<const float> from, const Take& take) override;

 private:
  /// On one GPU.
  struct Lane {
    Lane();
    DeviceStream stream;
    std::array<PinnedMemory, 2> memory;
    std::array<DeviceEvent, 2> copied;
  };
  Lane& lane(int device, std::size_t floats);

  std::vector<int> devices_;
  std::map<int, Lane> lanes_;  ///< by GPU
};

}  // namespace paceline::cuda
