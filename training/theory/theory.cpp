// SPDX-License-Identifier: MIT
#include "training/theory/theory.hpp"

namespace paceline {

std::optional<Theory> first_k_then_restart(const TimedWorkers& workers, int k) {
  const auto iteration = workers.first(k);
  if (!iteration) return std::nullopt;
  return Theory{.iteration = *iteration, .staleness = 0, .fresh = 1};
}

std::optional<Theory> every_k_mini_batches(const TimedWorkers& workers, int k) {
  const auto between = workers.between_any_two();
  if (!between) return std::nullopt;
  return Theory{.iteration = *between * k};
}

std::optional<Theory> k_different_workers(const TimedWorkers& workers, int k) {
  const int count = workers.count();
  if (k == count) return first_k_then_restart(workers, k);
  std::optional<Theory> theory;
  if (k == 1) {
    theory = every_k_mini_batches(workers, 1);
  } else if (workers.all_alike() && workers.x().shape().aging != Aging::neither) {
    // The P - K workers that the last update did not take have part of their mini-batch behind
    // them. If the rest never lasts longer than a new draw, the K-th gradient arrives no later than
    // if all P had begun anew.
    theory = first_k_then_restart(workers, k);
    if (theory) theory->bound = !workers.memoryless();
  }
  if (!theory) return std::nullopt;
  // At every update the P - K workers that go on age by one, and K gradients are applied.
  theory->staleness = static_cast<double>(count) / k - 1;
  // Each of the P workers is equally likely to be among the K, also those that began last.
  theory->fresh =
      workers.memoryless() ? std::optional(static_cast<double>(k) / count) : std::nullopt;
  return theory;
}

}  // namespace paceline
