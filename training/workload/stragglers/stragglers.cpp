// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/stragglers.hpp"

#include <algorithm>
#include <stdexcept>

#include "training/workload/stragglers/exponential.hpp"

namespace paceline {

namespace {

// Draws for links, and for the delays that one worker has, are those of workers that do not exist.
constexpr std::uint32_t kLinks = 0x80000000;
constexpr std::uint32_t kOwn = 0x40000000;

Seconds countable(Seconds delay) {
  if (delay <= kLongestDelay) return delay;
  throw std::runtime_error("a straggler's delay of " + print_number(delay.value()) +
                           " s is longer than the clock can count (at most " +
                           print_number(kLongestDelay.value()) + " s)");
}

}  // namespace

Seconds Stragglers::delay(Phase phase, const Draw& at, Seconds arithmetic, int equal) const {
  const auto of = [&](const Choice<Straggler>& law, const Draw& draw_of) {
    if (!law || law->phase != phase) return Seconds{0};
    const Seconds draw = law->longest(draw_of, equal);
    return law->applies == Applies::added ? draw : std::max(Seconds{0}, draw - arithmetic);
  };
  Seconds all = of(compute, at);
  if (const auto own = workers.find(static_cast<int>(at.worker)); own != workers.end()) {
    all += of(own->second.delay, {at.seed, at.repeat, kOwn | at.worker, at.step});
  }
  return countable(all);
}

bool Stragglers::delays(Phase phase) const {
  const auto is_late = [phase](const Choice<Straggler>& law) { return law && law->phase == phase; };
  return is_late(compute) ||
         std::ranges::any_of(workers, [&](const auto& one) { return is_late(one.second.delay); });
}

bool Stragglers::need_arithmetic() const {
  const auto needs = [](const Choice<Straggler>& law) {
    return law && law->applies == Applies::total;
  };
  return needs(compute) ||
         std::ranges::any_of(workers, [&](const auto& one) { return needs(one.second.delay); });
}

bool Stragglers::random() const {
  return compute || communication ||
         std::ranges::any_of(workers, [](const auto& one) { return bool{one.second.delay}; });
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
  for (const auto& [worker, own] : workers) {
    if (own.delay) text += own.delay->content();
  }
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
