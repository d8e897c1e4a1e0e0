// SPDX-License-Identifier: MIT
#include "training/stragglers/stragglers.hpp"

#include <algorithm>

#include "training/random/draw.hpp"

namespace paceline {

Seconds Stragglers::delay(std::uint64_t seed, std::uint32_t repeat, int worker, std::uint64_t step,
                          Seconds arithmetic) const {
  if (!compute) return Seconds{0};
  const double u =
      uniform(seed, repeat, Purpose::straggler, static_cast<std::uint32_t>(worker), step);
  const Seconds draw = compute->quantile(u);
  return compute->applies == Applies::added ? draw : std::max(Seconds{0}, draw - arithmetic);
}

double Stragglers::slowdown(int worker) const {
  const auto found = workers.find(worker);
  return found == workers.end() ? 1 : found->second.slowdown;
}

}  // namespace paceline
