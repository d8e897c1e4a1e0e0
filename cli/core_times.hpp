// SPDX-License-Identifier: MIT
/// \file
/// The time that other programs use on this computer's cores during a measurement, which makes it
/// longer. Linux counts the time of each core in /proc/stat, in ticks of 10 ms as a rule.
#pragma once
#include <iosfwd>
#include <optional>
#include <vector>

namespace paceline {

/// The times that the cores available to this process have worked, in seconds since an arbitrary
/// point in time.
struct CoreTimes {
  double all = 0;  ///< for all programs, with the time that a hypervisor took
  double own = 0;  ///< for this process
  double wall = 0;
};

/// The present times; nothing if the system does not report them.
std::optional<CoreTimes> core_times_now();

/// The seconds that the cores with these numbers worked, from a text such as /proc/stat.
/// \param ticks_per_second the unit of the text's numbers
double busy_seconds(std::istream& stat, const std::vector<int>& cores, double ticks_per_second);

/// The number of cores that other programs used on average between two readings; nothing if these
/// are too close for the ticks.
std::optional<double> cores_of_others(const CoreTimes& before, const CoreTimes& after);

}  // namespace paceline
