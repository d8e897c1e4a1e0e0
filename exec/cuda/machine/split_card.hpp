// SPDX-License-Identifier: MIT
/// \file
/// How the roles of a point share the card that `devices` names: by green contexts where that is
/// asked for and the driver can, else by plain streams, and then it says why.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/cuda/machine/green_contexts.hpp"
#include "training/experiment_file.hpp"

namespace paceline::cuda {

class SplitCard {
 public:
  /// Splits the card where the point says so. Throws Error when the card itself fails.
  SplitCard(const ExperimentPoint& point, const Plan& plan);

  /// Null: no card is split.
  const GreenContexts* green() const { return green_.get(); }
  /// By role, the group of SMs that it has: a worker its own, one of several shards that of the
  /// worker of its number, one server the rest. Empty where no card is split.
  const std::vector<int>& groups() const { return groups_; }
  /// SMs of a worker; 0: all that there are.
  int sms() const { return green_ ? green_->sms().sms : 0; }
  /// "green: 8 groups of 16 of 132 SMs, servers on the whole card", "streams", or "streams (green
  /// contexts need a driver of CUDA 12.5; this is 12.2)"; "" where each worker has a card.
  const std::string& said() const { return said_; }

 private:
  std::unique_ptr<const GreenContexts> green_;
  std::vector<int> groups_;
  std::string said_;
};

}  // namespace paceline::cuda
