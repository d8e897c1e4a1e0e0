// SPDX-License-Identifier: MIT
/// \file
/// The column of a log in which step times stand. A counter (`step`, `epoch`, `rank`) is never one:
/// a name must say a time or a unit of time, or be that of a known layout.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "experiments/language/unit_table.hpp"

namespace paceline {

/// A choice among the columns of a header, or the reason for none.
struct TimeColumn {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t at = kNone;        ///< the column
  std::size_t per_step = kNone;  ///< a counter of steps; the times are then differences of `at`,
                                 ///< divided by the differences of this column
  bool differences = false;      ///< `at` has points in time
  std::string basis{};             ///< why this column: a clause
  std::string problem{};         ///< "" if a column was found
};

/// Chooses by the names alone.
TimeColumn time_column(const std::vector<std::string>& names);

/// The unit at the end of a column's name, as in "step_ms", "Time (s)" or "elapsed seconds"; null
/// if there is none, or if it is that of a rate ("samples/s").
const UnitRow* unit_in_name(std::string_view name);

}  // namespace paceline
