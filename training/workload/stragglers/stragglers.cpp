// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/stragglers.hpp"

#include <algorithm>
#include <stdexcept>

#include "training/workload/stragglers/exponential.hpp"

namespace paceline {

Seconds Stragglers::delay(std::uint64_t seed, std::uint32_t repeat, int worker, std::uint64_t step,
                          Seconds arithmetic) const {
  if (!compute) return Seconds{0};
  const Seconds draw = compute->draw({seed, repeat, static_cast<std::uint32_t>(worker), step});
  const Seconds delay =
      compute->applies == Applies::added ? draw : std::max(Seconds{0}, draw - arithmetic);
  if (!(delay <= kLongestDelay)) {
    throw std::runtime_error("a straggler's delay of " + print_number(delay.value()) +
                             " s is longer than the clock can count (at most " +
                             print_number(kLongestDelay.value()) + " s)");
  }
  return delay;
}

double Stragglers::slowdown(int worker) const {
  const auto found = workers.find(worker);
  return found == workers.end() ? 1 : found->second.slowdown;
}

Seconds Failures::time_to_failure(std::uint64_t seed, std::uint32_t repeat, int worker,
                                  std::uint64_t life) const {
  const Draw at{seed, repeat, static_cast<std::uint32_t>(worker), life};
  return every * unit_exponential(at.uniform(Purpose::failure));
}

}  // namespace paceline
