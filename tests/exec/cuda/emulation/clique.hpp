// SPDX-License-Identifier: MIT
/// \file
/// The ranks of one NCCL id, and their collectives. The last rank to join one carries it out for
/// all.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "tests/exec/cuda/emulation/numbers.hpp"

namespace paceline::cuda::emulation {

enum class Call : std::uint8_t {
  all_reduce,
  reduce,
  broadcast,
  reduce_scatter,
  all_gather,
  exchange,  ///< sends and receives of a group
};

/// The part of one rank in a collective.
struct Share {
  Call call = Call::all_reduce;
  int rank = 0;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t count = 0;  ///< as NCCL counts: of reduce_scatter and all_gather those of a rank
  Number number = Number::fp32;
  int root = 0;
  struct Sent {
    int peer;
    const void* data;
    std::size_t bytes;
  };
  struct Received {
    int peer;
    void* data;
    std::size_t bytes;
  };
  std::vector<Sent> sends{};
  std::vector<Received> receives{};
};

/// Carries out a collective for all ranks: `shares` has one of each, in order. Reads all before it
/// writes: a rank's result may take the place of its contribution.
void carry_out(const std::vector<Share>& shares);

class Clique {
 public:
  explicit Clique(int ranks) : devices_(static_cast<std::size_t>(ranks), -1) {}
  virtual ~Clique() = default;
  int ranks() const { return static_cast<int>(devices_.size()); }

  /// Returns false if the rank has joined already.
  virtual bool join(int rank, int device);
  virtual bool complete() const;
  /// Whether two ranks have joined with one device.
  virtual bool duplicate() const;

  /// Waits until all ranks have joined, or until `aborted`.
  virtual void wait_for_all(const std::atomic<bool>& aborted);
  /// On a stream's thread: joins the next collective of a rank that has begun `calls`, and waits
  /// until it is done, `aborted`, or the device is reset.
  virtual void take_part(const Share& mine, std::uint64_t& calls, const std::atomic<bool>& aborted);
  /// On a stream's thread: waits until `aborted`, or until the device is reset.
  void stay_until(const std::atomic<bool>& aborted);
  /// Sets `aborted` of a rank and wakes its threads.
  void abort(std::atomic<bool>& aborted);

 private:
  /// One collective of all ranks.
  struct Meeting {
    std::vector<Share> shares;
    bool fits = true;
    bool done = false;
  };
  bool all_joined() const { return arrived_ == ranks(); }  // behind `mutex_`

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> devices_;  // by rank; -1: not joined yet
  int arrived_ = 0;
  std::map<std::uint64_t, Meeting> meetings_;  // by the ordinal of the collective
};

}  // namespace paceline::cuda::emulation
