// SPDX-License-Identifier: MIT
/// \file
/// A schedule given transfer by transfer, such as a program from a file: checked as a whole, since
/// no formula stands behind it.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

/// Parts of one rank on their way to the same place of another.
struct Transfer {
  int step = 0;
  int from = 0, to = 0;  ///< ranks
  int first = 0;         ///< part
  int count = 1;         ///< parts
  bool adds = false;     ///< else they replace what is there
};

class TransferTable final : public CollectiveSchedule {
 public:
  TransferTable(int ranks, int parts);
  /// Steps must not fall; in a step a rank sends once and receives once at most.
  void add(const Transfer& transfer);

  /// Why the transfers are no all-reduce in place: a sum that is not complete, or to which
  /// something is added twice. "" if they are one.
  std::string wrong_sum() const;
  /// Which parts may be replaced before their rank has sent or summed them: the sender must have
  /// received a sign of it, through any number of ranks. "" if none.
  std::string overwritten() const;

  int ranks() const override { return ranks_; }
  std::int32_t parts() const override { return parts_; }
  std::int32_t landings() const override { return landings_; }
  /// A program may be of any kind.
  bool overtakes() const override { return true; }
  int steps() const override { return steps_; }
  ScheduleStep at(int rank, int step, int slice) const override;

 private:
  int ranks_;
  int parts_;
  int steps_ = 0;
  std::int32_t landings_ = 0;
  std::vector<Transfer> transfers_;
  std::vector<std::int32_t> landed_;                   ///< by rank: places in use
  std::map<std::pair<int, int>, ScheduleStep> table_;  ///< by step and rank
};

}  // namespace paceline
