// SPDX-License-Identifier: MIT
/// \file
/// A parameter server as a queue: how many updates a second it serves when P workers alternate
/// between computing and waiting for it.
#pragma once
#include "experiments/units.hpp"

namespace paceline {

/// Updates per second of an asynchronous parameter server that serves one worker at a time, in
/// order: a closed queue M/M/1//P, with mean times `compute` and `service` (exponential; the
/// distribution of the compute time does not matter). Requires workers >= 1, times >= 0 and not
/// both 0.
double queue_throughput(int workers, Seconds compute, Seconds service);

}  // namespace paceline
