// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

SharedSchedule usual_schedule(Operation operation, int ranks) {
  switch (operation) {
    case Operation::all_reduce:
      return ring(ranks);
    case Operation::reduce_scatter:
      return ring_reduce_scatter(ranks, 0);
    case Operation::all_gather:
      return ring_all_gather(ranks, 0);
    case Operation::broadcast:
      return binomial_broadcast(ranks);
    case Operation::reduce:
      return binomial_reduce(ranks);
    case Operation::all_to_all:
      return pairwise_all_to_all(ranks);
  }
  return nullptr;
}

}  // namespace paceline
