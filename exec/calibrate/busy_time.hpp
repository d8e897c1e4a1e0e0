// SPDX-License-Identifier: MIT
/// \file
/// How long this process has kept cores busy.
#pragma once
#include "experiments/units.hpp"

namespace paceline {

/// Of all its threads, so far.
Seconds busy_time();
/// Of the calling thread, so far.
Seconds busy_time_of_thread();

}  // namespace paceline
