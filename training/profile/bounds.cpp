// SPDX-License-Identifier: MIT
#include "training/profile/bounds.hpp"

#include <algorithm>
#include <functional>

namespace paceline {
namespace {

bool any_below(const std::vector<Seconds>& times, Seconds least) {
  return std::ranges::any_of(times, [least](Seconds time) { return time < least; });
}

/// Checks sizes that were timed.
std::string wrong_in(const std::vector<Bytes>& sizes, const std::vector<Seconds>& times) {
  if (sizes.empty()) return "'sizes' is empty";
  if (sizes.size() != times.size()) {
    return "'sizes' has " + std::to_string(sizes.size()) + " entries and 'times' " +
           std::to_string(times.size());
  }
  const bool negative = std::ranges::any_of(sizes, [](Bytes size) { return size < Bytes{0}; });
  if (negative) return "a size in 'sizes' is negative";
  const bool none = std::ranges::any_of(times, [](Seconds time) { return time <= Seconds{0}; });
  return none ? "a time in 'times' is not above 0 s" : "";
}

std::string wrong_in(const NetworkProfile& network) {
  if (any_below(network.forward, Seconds{0})) return "a time in 'forward' is negative";
  if (any_below(network.backward, Seconds{0})) return "a time in 'backward' is negative";
  const auto& sleeps = network.after_sleep;
  const auto wrong = std::ranges::adjacent_find(sleeps, std::greater_equal{}, &AfterSleep::slept);
  if (wrong != sleeps.end()) {
    return "'after_sleep' is not in ascending order of 'slept'";
  }
  return "";
}

}  // namespace

std::string impossible_figure(const Profile& profile) {
  for (const LinkProfile& link : profile.links) {
    if (const std::string wrong = wrong_in(link.sizes, link.times); !wrong.empty()) {
      return "link " + link.from + " to " + link.to + ": " + wrong;
    }
  }
  for (const CollectiveProfile& sum : profile.collectives) {
    if (const std::string wrong = wrong_in(sum.sizes, sum.times); !wrong.empty()) {
      return "collective of " + std::to_string(sum.gpus) + " GPUs: " + wrong;
    }
  }
  if (profile.exchange) {
    const auto& rows = profile.exchange->memory;
    if (rows.empty()) return "exchange: 'memory' is empty";
    if (std::ranges::adjacent_find(rows, std::greater_equal{}, &MemoryRates::touched) != rows.end())
      return "exchange: 'memory' is not in ascending order of 'touched'";
  }
  for (const NetworkProfile& network : profile.networks) {
    if (const std::string wrong = wrong_in(network); !wrong.empty()) {
      return "network '" + network.network + "': " + wrong;
    }
  }
  return "";
}

}  // namespace paceline
