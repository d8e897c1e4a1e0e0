// SPDX-License-Identifier: MIT
/// \file
/// The work of this computer's cores for other programs meanwhile, which makes a measurement
/// longer. Linux counts the time of each core in /proc/stat, in ticks of 10 ms as a rule.
#pragma once
#include <iosfwd>
#include <optional>
#include <vector>

namespace paceline {

/// The times that the cores available to this process have worked, in seconds since some time.
struct CoreTimes {
  double all = 0;  ///< of all programs, and what a hypervisor took
  double own = 0;  ///< of this process
  double wall = 0;
};

/// As of now; nothing if the system does not say.
std::optional<CoreTimes> core_times_now();

/// The seconds in a text such as /proc/stat that the cores of these numbers worked.
/// \param ticks_per_second of the text's numbers
double busy_seconds(std::istream& stat, const std::vector<int>& cores, double ticks_per_second);

/// The number of cores that other programs used on average between two times; nothing if these are
/// too close for the ticks.
std::optional<double> cores_of_others(const CoreTimes& before, const CoreTimes& after);

}  // namespace paceline
