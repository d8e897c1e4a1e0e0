// SPDX-License-Identifier: MIT
/// \file
/// How the roles of a point share the card that `devices` names: by green contexts if requested and
/// supported by the driver, else by plain streams, with the reason in description().
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/cuda/machine/green_contexts.hpp"
#include "training/workload/placement.hpp"

namespace paceline::cuda {

class SplitCard {
 public:
  /// Splits the card if `devices` requests it. Throws Error if the card itself fails.
  SplitCard(const std::optional<Devices>& devices, const Placement& placement);

  /// Null if no card is split.
  const GreenContexts* green() const { return green_.get(); }
  /// The group of SMs of each role: a worker has its own, shard i of several that of worker i, and
  /// a single server the rest. Empty if no card is split.
  const std::vector<int>& groups() const { return groups_; }
  /// SMs of a worker; 0: all.
  int sms() const { return green_ ? green_->sms().sms : 0; }
  /// "green: 8 groups of 16 of 132 SMs, servers on the whole card", "streams", or "streams (green
  /// contexts need a driver of CUDA 12.5; this is 12.2)"; "" if each worker has its own card.
  const std::string& description() const { return description_; }

 private:
  std::unique_ptr<const GreenContexts> green_;
  std::vector<int> groups_;
  std::string description_;
};

}  // namespace paceline::cuda
