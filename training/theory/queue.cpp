// SPDX-License-Identifier: MIT
// The closed form is X = (1 - p0) / s with 1/p0 = sum_{k=0}^{P} P!/(P-k)! (s/c)^k, whose terms
// overflow for large P. Mean value analysis (Reiser & Lavenberg, J. ACM 27(2), 1980) gives the same
// X worker by worker: an arrival finds the queue as it is with one worker less.
#include "training/theory/queue.hpp"

#include <cassert>

namespace paceline {

double queue_throughput(int workers, Seconds compute, Seconds service) {
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
