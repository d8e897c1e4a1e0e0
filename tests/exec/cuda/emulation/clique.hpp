// SPDX-License-Identifier: MIT
/// \file
/// The ranks of one NCCL id, and their sums. The last rank to join a sum computes it for all.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "tests/exec/cuda/emulation/numbers.hpp"

namespace paceline::cuda::emulation {

/// The part of one rank in a sum.
struct Summand {
  const void* from;
  void* to;
  std::size_t count;
  Number number;
};

class Clique {
 public:
  explicit Clique(int ranks) : devices_(static_cast<std::size_t>(ranks), -1) {}
  int ranks() const { return static_cast<int>(devices_.size()); }

  /// Returns false if the rank has joined already.
  bool join(int rank, int device);
  bool complete() const;
  /// Whether two ranks have joined with one device.
  bool duplicate() const;

  /// Waits until all ranks have joined, or until `aborted`.
  void wait_for_all(const std::atomic<bool>& aborted);
  /// On a stream's thread: joins the next sum of a rank that has begun `sums`, and waits until it
  /// is computed, `aborted`, or the device is reset.
  void sum(const Summand& mine, std::uint64_t& sums, const std::atomic<bool>& aborted);
  /// On a stream's thread: waits until `aborted`, or until the device is reset.
  void stay_until(const std::atomic<bool>& aborted);
  /// Sets `aborted` of a rank and wakes its threads.
  void abort(std::atomic<bool>& aborted);

 private:
  /// One sum over all ranks.
  struct Meeting {
    std::vector<Summand> parts;
    bool fits = true;
    bool done = false;
  };
  static void add_up(const Meeting& meeting);
  bool all_joined() const { return arrived_ == ranks(); }  // behind `mutex_`

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> devices_;  // by rank; -1: not joined yet
  int arrived_ = 0;
  std::map<std::uint64_t, Meeting> meetings_;  // by the ordinal of the collective
};

}  // namespace paceline::cuda::emulation
