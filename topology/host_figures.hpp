// SPDX-License-Identifier: MIT
/// \file
/// The figures of this computer's host side that `paceline calibrate` measures and writes to the
/// profile. `this_machine` makes a machine from them.
#pragma once
#include <string>

#include "experiments/language/description.hpp"

namespace paceline {

struct HostFigures {
  std::string cpu_model;
  int cores = 1;
  BytesPerSecond copy_bandwidth;    ///< of memcpy on one thread
  BytesPerSecond memory_bandwidth;  ///< copy rate of all threads together
  Seconds copy_latency;             ///< from the request of a copy to its start
  Seconds decision_latency;         ///< from an event to the host's reaction
  Seconds operation_handling;       ///< per operation, on the single thread that runs all roles
  Seconds operation_work;           ///< per operation, of all threads, with many operations in
                                    ///< parallel
  Seconds timer_error;              ///< the delay with which a timed wait returns
  static void describe(Description<HostFigures>& d);
};

}  // namespace paceline
