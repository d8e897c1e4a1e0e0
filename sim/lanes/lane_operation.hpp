// SPDX-License-Identifier: MIT
/// \file
/// An operation that every worker makes: a row of times with a lane for each worker, or for each
/// that others are equal to.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "training/runtime/command.hpp"

namespace paceline {

/// Picoseconds of the clock, by lane; shared by all that refer to it.
using LaneTimes = std::vector<std::int64_t>;
using LaneRow = std::shared_ptr<const LaneTimes>;

/// A draw of the plan, of a worker and a step.
using LaneDraw = std::function<Seconds(RoleId worker, std::int64_t step)>;

struct LaneOperation {
  Command command;                 ///< as worker 0 gives it
  const LaneDraw* draw = nullptr;  ///< of a delay: its length
  std::int64_t step = -1;          ///< of that draw
  std::array<LaneRow, 3> after{};  ///< ends of other streams' operations that it waits for
  LaneRow queued;                  ///< when each worker's host has queued it
  LaneTimes begins, ends;          ///< once it is evaluated
};

}  // namespace paceline
