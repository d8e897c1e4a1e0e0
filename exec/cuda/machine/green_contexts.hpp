// SPDX-License-Identifier: MIT
/// \file
/// Virtual GPUs: green contexts on disjoint groups of a card's SMs, one a virtual GPU. What runs in
/// a stream of a group runs on its SMs alone. Memory, its bandwidth, the second-level cache, the
/// copy engines and the power are still the whole card's.
///
/// The groups come from one split: the driver promises that groups are disjoint only within one.
/// Memory and events belong to the card's own context as ever; the streams alone tie work to a
/// group. While a worker's library handles are made, its algorithms timed and its kernels queued,
/// its green context is the current one too, so that libraries choose for as many SMs as there are.
#pragma once
#include <vector>

#include "exec/cuda/machine/green_driver.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "training/sm_groups.hpp"

namespace paceline::cuda {

/// In place of a group's number: all SMs.
inline constexpr int kWholeCard = -1;

class GreenContexts {
 public:
  /// Splits `device` into `groups`. The driver is asked for the smallest group and what its size is
  /// a multiple of. Throws NoGreenContexts, Error.
  GreenContexts(int device, int groups);
  /// Requires that all streams are gone.
  ~GreenContexts();
  GreenContexts(const GreenContexts&) = delete;
  GreenContexts& operator=(const GreenContexts&) = delete;

  int device() const { return device_; }
  int groups() const { return groups_; }
  /// SMs of each group, of the rest and of the servers' group.
  const SmGroups& sms() const { return sms_; }
  /// The group of servers that stand on the card by themselves: the rest, or kWholeCard where that
  /// is too small for a group.
  int server_group() const { return sms_.servers > 0 ? groups_ : kWholeCard; }
  /// "8 groups of 16 of 132 SMs, servers on the whole card".
  std::string describe() const;

  /// A stream of a group's, or of the card's where that is kWholeCard.
  DeviceStream stream(int group) const;

  /// While it lives, a group's context is the calling thread's; for one thread at a time.
  class Current {
   public:
    Current() = default;
    Current(const GreenContexts& green, int group);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const GreenContexts* green_ = nullptr;
  };

 private:
  void split();
  void create(const CUdevResource& resource);
  void destroy() noexcept;

  const GreenDriver driver_;
  const int device_;
  const int groups_;
  int total_ = 0;  ///< SMs of the card
  SmGroups sms_;
  CUdevice handle_ = 0;
  std::vector<CUgreenCtx> green_;    ///< by group; then of the servers, where they have one
  std::vector<CUcontext> contexts_;  ///< the same, as what can be made current
};

}  // namespace paceline::cuda
