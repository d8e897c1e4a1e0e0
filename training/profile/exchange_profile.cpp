// SPDX-License-Identifier: MIT
#include "training/profile/exchange_profile.hpp"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

/// Times per byte are interpolated, not rates: they add up.
BytesPerSecond between(BytesPerSecond below, BytesPerSecond above, double way) {
  return BytesPerSecond{1 / ((1 - way) / below.value() + way / above.value())};
}

}  // namespace

MemoryRates ExchangeProfile::at(Bytes touched) const {
  const auto above = std::ranges::lower_bound(memory, touched, {}, &MemoryRates::touched);
  if (above == memory.begin()) return memory.front();
  if (above == memory.end()) return memory.back();
  const MemoryRates& below = *std::prev(above);
  const double way = std::log(touched / below.touched) / std::log(above->touched / below.touched);
  return {touched, between(below.copy, above->copy, way), between(below.sum, above->sum, way),
          between(below.copies, above->copies, way), between(below.sums, above->sums, way)};
}

void MemoryRates::describe(Description<MemoryRates>& d) {
  d.required("touched", &MemoryRates::touched, "bytes of all buffers of all threads")
      .above(Bytes{0});
  d.required("copy", &MemoryRates::copy, "rate of one thread that copies alone")
      .above(BytesPerSecond{0});
  d.required("sum", &MemoryRates::sum, "rate of one thread that adds a gradient alone")
      .above(BytesPerSecond{0});
  d.required("copies", &MemoryRates::copies, "rate of each of several that copy")
      .above(BytesPerSecond{0});
  d.required("sums", &MemoryRates::sums, "rate of each of several that add")
      .above(BytesPerSecond{0});
}

void ExchangeProfile::describe(Description<ExchangeProfile>& d) {
  d.required("memory", &ExchangeProfile::memory, "rates by the bytes that all threads touch");
  d.required("handling", &ExchangeProfile::handling, "of an operation, on the roles' thread")
      .at_least(Seconds{0});
  d.required("start", &ExchangeProfile::start, "of an operation after its last dependency, besides")
      .at_least(Seconds{0});
  d.required("decision", &ExchangeProfile::decision, "time that a role's decision adds")
      .at_least(Seconds{0});
}

}  // namespace paceline
