// SPDX-License-Identifier: MIT
/// \file
/// The NCCL ranks of this process, one per GPU: all ranks, or some where several processes run the
/// point. NCCL runs in non-blocking mode and is polled with a deadline, so that a rank that fails
/// or hangs ends the point and not the program.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <nccl.h>

#include "experiments/language/units.hpp"
#include "training/runtime/operation.hpp"
#include "training/strategies/collectives/nccl_algorithm.hpp"

namespace paceline::cuda {

class NcclGroup {
 public:
  /// The ranks of other processes.
  struct Others {
    ncclUniqueId id{};                        ///< of new_id() in one process
    int first = 0;                            ///< rank of this process
    int ranks = 0;                            ///< of all processes
    std::function<void()> check = [] {};      ///< throws if a process is lost
    std::optional<NcclAlgorithm> forced{};     ///< the only algorithm of all-reduces
    static constexpr Seconds kPatience{600};  ///< for a sum: other processes may come late to it
  };
  static ncclUniqueId new_id();

  /// One rank on each of `devices`, which must differ. Throws Error if the ranks cannot connect
  /// within `patience`, after which every later call also counts as hanging.
  NcclGroup(const std::vector<int>& devices, Seconds patience);
  /// The same with ranks of other processes, which connect at the same time.
  NcclGroup(const std::vector<int>& devices, Seconds patience, Others others);
  /// Calls give_up().
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  std::size_t own_ranks() const { return ranks_.size(); }

  /// One rank's buffer, which holds its contribution and receives the result.
  struct Part {
    float* data = nullptr;
    cudaStream_t stream = nullptr;
    float* landing = nullptr;  ///< of all-to-all: receives the result, as long as `data`
  };
  /// Queues an operation on `count` floats, or the sum of as many words of two halves; one part per
  /// rank of this process, in order, and the root is rank 0. Where each rank has a share, it is
  /// count / ranks, and the remainder stays as it is: nccl-tests rounds sizes down.
  void run(paceline::Operation operation, std::span<const Part> parts, std::size_t count,
           bool halves = false);

  /// Aborts everything in flight; the group cannot be used afterwards.
  void give_up();

  /// Throws Error if a rank has failed, or if `since_begun`, the time since all ranks of this
  /// process came to a sum, is too long.
  void check_health(std::optional<Seconds> since_begun) const;

 private:
  void meet(const std::vector<int>& devices);
  void queue(paceline::Operation operation, const Part& part, std::size_t count, bool halves,
             std::size_t rank) const;
  void settle(const char* doing) const;

  std::vector<ncclComm_t> ranks_;  ///< of this process
  Seconds patience_;
  Others others_;
  Seconds patience_for_sums_;
};

}  // namespace paceline::cuda
