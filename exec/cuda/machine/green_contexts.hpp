// SPDX-License-Identifier: MIT
/// \file
/// Virtual GPUs: green contexts on disjoint groups of a card's SMs, one per virtual GPU. Work in a
/// stream of a group runs only on the group's SMs. Memory, its bandwidth, the L2 cache, the copy
/// engines and the power budget are still shared.
///
/// All groups come from one split, since the driver guarantees disjoint groups only within one.
/// Memory and events belong to the primary context; only streams bind work to a group. A worker's
/// green context is current while its library handles are made, its algorithms timed and its
/// kernels queued, so that libraries choose algorithms for the group's number of SMs.
#pragma once
#include <vector>

#include "exec/cuda/machine/green_driver.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "training/workload/sm_groups.hpp"

namespace paceline::cuda {

/// Stands for all SMs in place of a group number.
inline constexpr int kWholeCard = -1;

/// The least number of SMs of a group, and the number of which it is a multiple.
struct SmGranularity {
  int minimum = 1, multiple = 1;
};
/// That of a major compute capability, by the description of cuDevSmResourceSplitByCount in CUDA
/// 12; its drivers do not report it.
SmGranularity granularity_of(int major);

class GreenContexts {
 public:
  /// Splits `device` into `groups`, with the driver's minimum size and granularity of groups.
  /// Throws NoGreenContexts and Error.
  GreenContexts(int device, int groups);
  /// Requires that all streams are destroyed.
  ~GreenContexts();
  GreenContexts(const GreenContexts&) = delete;
  GreenContexts& operator=(const GreenContexts&) = delete;

  int device() const { return device_; }
  int groups() const { return groups_; }
  /// The number of SMs of each group, of the rest and of the servers' group.
  const SmGroups& sms() const { return sms_; }
  /// The group of servers that do not share a worker's group: the rest, or kWholeCard if the rest
  /// is too small for a group.
  int server_group() const { return sms_.servers > 0 ? groups_ : kWholeCard; }
  /// "8 groups of 16 of 132 SMs, servers on the whole card".
  std::string describe() const;

  /// A stream of a group, or of the whole card for kWholeCard.
  DeviceStream stream(int group) const;

  /// Makes a group's context current on the calling thread for the lifetime of the object. Not
  /// thread-safe.
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
  SmGranularity granularity(const CUdevResource& all) const;
  void create(const CUdevResource& resource);
  void destroy() noexcept;

  const GreenDriver driver_;
  const int device_;
  const int groups_;
  int total_ = 0;  ///< SMs of the card
  SmGroups sms_;
  CUdevice handle_ = 0;
  std::vector<CUgreenCtx> green_;    ///< by group; then that of the servers, if they have one
  std::vector<CUcontext> contexts_;  ///< the same contexts as CUcontext
};

}  // namespace paceline::cuda
