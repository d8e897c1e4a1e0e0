// SPDX-License-Identifier: MIT
/// \file
/// The column of a log that has the step times. A counter (`step`, `epoch`, `rank`) is never
/// chosen: the name of the column must contain a word for time or a unit of time, or belong to a
/// known layout.
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
  std::string basis{};           ///< the reason for the choice, a clause
  std::string problem{};         ///< why there is no column; "" if there is one
};

/// Chooses a column by the names alone.
TimeColumn time_column(const std::vector<std::string>& names);

/// The unit at the end of a column's name, as in "step_ms", "Time (s)" or "elapsed seconds"; null
/// if there is none, or if it is that of a rate ("samples/s").
const UnitRow* unit_in_name(std::string_view name);

}  // namespace paceline
