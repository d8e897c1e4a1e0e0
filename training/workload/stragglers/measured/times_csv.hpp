// SPDX-License-Identifier: MIT
/// \file
/// Measured times in a file: one a line, or a column of a CSV with a header (of TensorBoard and
/// Weights & Biases, too), or the steps.csv of a run, or the lines of a training program's log.
/// Blank lines and lines that begin with `#` are skipped. A time is a number of seconds unless the
/// unit is given, or ends the column's name (`step_ms`), or follows the number (`12 ms`).
#pragma once
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/language/value.hpp"

namespace paceline {

/// The unit of a bare number in a file of times.
enum class TimeUnit { ns, us, ms, s, min, h };
std::span<const EnumName<TimeUnit>> enum_names(const TimeUnit*);

/// The selection of times in a file.
struct TimesQuery {
  /// "": the only column, or from `began_s` to `end_s`, or that of time_column()
  std::string column;
  std::optional<TimeUnit> unit;
  std::vector<std::pair<std::string, std::string>> only;  ///< rows with these values: column, value
};

struct Times {
  std::vector<double> seconds;  ///< in the order of the file, finite and >= 0
  std::string column;           ///< "" in a file without header
  std::string why{};            ///< reason for the column, a clause; "" if there was no choice
  std::size_t cancelled = 0;    ///< steps of a run that were left out, since they never ended
};

/// The times in a file of at most 10 million rows and 1 GiB. Empty after noting each error at its
/// place in the file. It is also an error if the rows of a run come from several points or sources,
/// or if there is no time at all.
std::optional<Times> read_times(const std::string& path, const TimesQuery& query,
                                Diagnostics& diagnostics);
/// The same from a stream; `name` is its name in messages.
std::optional<Times> read_times(const std::string& name, std::istream& in, const TimesQuery& query,
                                Diagnostics& diagnostics);

}  // namespace paceline
