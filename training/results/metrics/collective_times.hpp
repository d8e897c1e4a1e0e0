// SPDX-License-Identifier: MIT
/// \file
/// The times of a collective that is repeated, each from its last rank's begin to its last rank's
/// end. The barriers between them are no part of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>

#include "training/runtime/instant.hpp"

namespace paceline {

class CollectiveTimes {
 public:
  void begun(std::int64_t number, Instant at) {
    Instant& begin = running_[number].begin;
    begin = std::max(begin, at);
  }
  void ended(std::int64_t number, Instant at) {
    Instant& end = running_[number].end;
    end = std::max(end, at);
  }
  /// Seconds of a collective that has ended on every rank, which is then forgotten.
  double take(std::int64_t number) {
    const Span span = running_[number];
    running_.erase(number);
    return (span.end - span.begin).value();
  }

 private:
  struct Span {
    Instant begin, end;
  };
  std::map<std::int64_t, Span> running_;  ///< by number
};

}  // namespace paceline
