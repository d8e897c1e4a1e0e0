// SPDX-License-Identifier: MIT
/// \file
/// The CPU time that this process has used.
#pragma once
#include "experiments/language/units.hpp"

namespace paceline {

/// Summed over all threads of the process, since the process started.
Seconds busy_time();
/// CPU time of the calling thread, since the thread started.
Seconds busy_time_of_thread();

}  // namespace paceline
