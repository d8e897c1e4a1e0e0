// SPDX-License-Identifier: MIT
/// \file
/// A collective of ranks that have no steps in common: for each rank a program of copies and sums,
/// in an order in which none waits for a later one of any rank. A step begins once those that it
/// names are over; copies to different ranks run side by side.
#pragma once
#include <cstdint>
#include <vector>

#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

/// Chunks of a rank's slice, or places of a chunk's size in its landing.
struct ChunkPlace {
  bool landing = false;
  std::int32_t first = 0;
  friend bool operator==(const ChunkPlace&, const ChunkPlace&) = default;
};

struct ProgramStep {
  enum class Kind : std::uint8_t {
    sends,   ///< `from` to `to` of rank `peer`
    adds,    ///< `from` to `to`, on the rank itself
    copies,  ///< the same, and what was there is lost
  };
  Kind kind = Kind::sends;
  int peer = -1;
  ChunkPlace from, to;
  std::int32_t count = 1;     ///< chunks
  std::vector<int> after;     ///< earlier steps of this rank
  std::vector<int> arrivals;  ///< receives of this rank, by number
};

struct RankProgram {
  /// The rank that each receive is from; those from one rank in the order in which it sends.
  std::vector<int> receives;
  std::vector<ProgramStep> steps;
};

class RankPrograms final : public CollectiveSchedule {
 public:
  RankPrograms(std::vector<RankProgram> programs, std::int32_t chunks, std::int32_t landings)
      : programs_(std::move(programs)), chunks_(chunks), landings_(landings) {}

  const RankProgram& of(int rank) const { return programs_[static_cast<std::size_t>(rank)]; }

  int ranks() const override { return static_cast<int>(programs_.size()); }
  std::int32_t parts() const override { return chunks_; }
  std::int32_t landings() const override { return landings_; }
  /// True, since a program may end at one rank long before another.
  bool overtakes() const override { return true; }
  bool side_by_side() const override { return true; }
  /// 0: ranks have no steps in common.
  int steps() const override { return 0; }
  ScheduleStep at(int, int, int) const override { return {}; }
  const RankPrograms* programs() const override { return this; }

 private:
  std::vector<RankProgram> programs_;
  std::int32_t chunks_;
  std::int32_t landings_;
};

}  // namespace paceline
