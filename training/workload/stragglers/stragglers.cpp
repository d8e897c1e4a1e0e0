// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/stragglers.hpp"

#include <algorithm>
#include <stdexcept>

#include "training/workload/stragglers/exponential.hpp"

namespace paceline {

namespace {

/// Draws for links are those of workers that do not exist.
constexpr std::uint32_t kLinks = 0x80000000;

Seconds countable(Seconds delay) {
  if (delay <= kLongestDelay) return delay;
  throw std::runtime_error("a straggler's delay of " + print_number(delay.value()) +
                           " s is longer than the clock can count (at most " +
                           print_number(kLongestDelay.value()) + " s)");
}

}  // namespace

Seconds Stragglers::delay(std::uint64_t seed, std::uint32_t repeat, int worker, std::uint64_t step,
                          Seconds arithmetic, int equal) const {
  if (!compute) return Seconds{0};
  const Draw at{seed, repeat, static_cast<std::uint32_t>(worker), step};
  const Seconds draw = compute->longest(at, equal);
  return countable(compute->applies == Applies::added ? draw
                                                      : std::max(Seconds{0}, draw - arithmetic));
}

Seconds Stragglers::link_delay(std::uint64_t seed, std::uint32_t repeat, int worker,
                               std::uint64_t step, int equal) const {
  if (!communication) return Seconds{0};
  const Draw at{seed, repeat, kLinks | static_cast<std::uint32_t>(worker), step};
  return countable(communication->longest(at, equal));
}

std::string Stragglers::content() const {
  std::string text = compute ? compute->content() : "";
  if (communication) text += communication->content();
  return text;
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
