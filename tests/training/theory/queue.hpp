// SPDX-License-Identifier: MIT
/// \file
/// A parameter server as a queue: the updates per second that it serves if P workers alternate
/// between computing and waiting for it.
#pragma once
#include <cassert>

#include "experiments/language/units.hpp"

namespace paceline {

/// Updates per second of an asynchronous parameter server that serves one worker at a time, in
/// order: a closed queue M/M/1//P, with mean times `compute` and `service` (exponential; the
/// distribution of the compute time does not matter). The closed form is X = (1 - p0) / s with 1/p0
/// = sum_{k=0}^{P} P!/(P-k)! (s/c)^k; its terms overflow for large P. Mean value analysis (Reiser &
/// Lavenberg, J. ACM 27(2), 1980) gives the same X by adding one worker at a time: an arrival finds
/// the queue of a system with one worker less. Requires workers >= 1, times >= 0 and not both 0.
inline double queue_throughput(int workers, Seconds compute, Seconds service) {
  assert(workers >= 1 && compute + service > Seconds{0});
  double waiting = 0;  // mean number at the server
  double throughput = 0;
  for (int n = 1; n <= workers; ++n) {
    const Seconds response = service * (1 + waiting);
    throughput = n / (compute + response).value();
    waiting = throughput * response.value();
  }
  return throughput;
}

}  // namespace paceline
