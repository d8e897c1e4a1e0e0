// SPDX-License-Identifier: MIT
/// \file
/// Ranks of NCCL in one process, one a GPU. All calls are non-blocking inside NCCL and polled with
/// a deadline here, so that a rank which fails or hangs ends the point instead of the program.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <nccl.h>

#include "experiments/units.hpp"

namespace paceline::cuda {

class NcclGroup {
 public:
  /// A rank on each of `devices`, which differ. Throws Error when they cannot meet in time;
  /// whatever takes longer than `patience` counts as hanging.
  NcclGroup(const std::vector<int>& devices, Seconds patience);
  /// Gives up what is under way.
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  /// What one rank gives to a sum and gets back in its place.
  struct Part {
    float* data = nullptr;
    cudaStream_t stream = nullptr;
  };
  /// Queues the sum of `count` floats over all ranks, a part each, in their order.
  void all_reduce(std::span<const Part> parts, std::size_t count);

  /// Ends what is under way, whatever it waits for; the group is of no use after that.
  void give_up();

  /// Throws Error when a rank has failed since, or when a sum has been under way for too long.
  void check_health(std::optional<Seconds> since_queued) const;

 private:
  void settle(const char* doing) const;

  std::vector<ncclComm_t> ranks_;
  Seconds patience_;
};

}  // namespace paceline::cuda
