// SPDX-License-Identifier: MIT
/// \file
/// NCCL ranks in one process, one per GPU. NCCL runs in non-blocking mode and is polled with a
/// deadline, so that a rank that fails or hangs ends the point and not the program.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <nccl.h>

#include "experiments/language/units.hpp"

namespace paceline::cuda {

class NcclGroup {
 public:
  /// One rank on each of `devices`, which must differ. Throws Error if the ranks cannot connect
  /// within `patience`, after which every later call also counts as hanging.
  NcclGroup(const std::vector<int>& devices, Seconds patience);
  /// Calls give_up().
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  /// One rank's buffer, which holds its addend and receives the sum.
  struct Part {
    float* data = nullptr;
    cudaStream_t stream = nullptr;
  };
  /// Queues the sum of `count` floats over all ranks, or of as many words of two halves; one part
  /// per rank, in order.
  void all_reduce(std::span<const Part> parts, std::size_t count, bool halves);

  /// Aborts everything in flight; the group cannot be used afterwards.
  void give_up();

  /// Throws Error if a rank has failed, or if `since_queued`, the time since a sum was queued, is
  /// too long.
  void check_health(std::optional<Seconds> since_queued) const;

 private:
  void settle(const char* doing) const;

  std::vector<ncclComm_t> ranks_;
  Seconds patience_;
};

}  // namespace paceline::cuda
