// SPDX-License-Identifier: MIT
/// \file
/// What calibrate measures of this computer's host side; `this_machine` makes a machine of it. It
/// is a part of the profile that calibrate writes.
#pragma once
#include <string>

#include "experiments/description.hpp"

namespace paceline {

struct HostFigures {
  std::string cpu_model;
  int cores = 1;
  BytesPerSecond copy_bandwidth;    ///< of one thread's memcpy
  BytesPerSecond memory_bandwidth;  ///< copied by all threads together
  Seconds copy_latency;             ///< from asking for a copy to its start
  Seconds decision_latency;         ///< from an event to the host's answer to it
  Seconds operation_handling;       ///< of the one thread that runs all roles, for each operation
  Seconds operation_work;           ///< of all threads, for each of many operations at once
  Seconds timer_error;              ///< by which a timed wait is late
  static void describe(Description<HostFigures>& d);
};

}  // namespace paceline
