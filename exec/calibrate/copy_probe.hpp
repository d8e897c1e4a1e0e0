// SPDX-License-Identifier: MIT
/// \file
/// A role that has its backend copy messages of every size, one at a time or many at once, by the
/// very streams that strategies use: what calibrate knows of links.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "exec/calibrate/probe.hpp"
#include "experiments/units.hpp"
#include "training/profile/transfer_fit.hpp"

namespace paceline {

/// A copy that is timed; the probe sets its slices.
struct ProbedCopy {
  Stream stream;
  BufferRef from, to;
};

/// Notes how long the last copy of each stream took.
class CopyObserver final : public ProbeObserver {
 public:
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override {
    ProbeObserver::operation(stream, command, begin, end);
    took_[key(stream)] = end - begin;
  }
  Seconds took(Stream stream) const { return took_.at(key(stream)); }

 private:
  static std::pair<int, int> key(Stream stream) {
    return {stream.role, static_cast<int>(stream.kind)};
  }
  std::map<std::pair<int, int>, Seconds> took_;
};

/// What to copy, and how long to go on.
struct CopyProbe {
  std::vector<ProbedCopy> copies;  ///< begun together, each on a stream of its own
  std::vector<Bytes> sizes;        ///< multiples of 4 bytes, within the buffers
  Seconds budget{0.1};             ///< for each size, where the fewest rounds take less
};

/// Runs a probe as role 0. `times` has a list for each copy: the median time of each size.
Task<> copy_role(Backend& backend, const CopyObserver& observer, const CopyProbe& probe,
                 std::vector<std::vector<TimedTransfer>>& times);

}  // namespace paceline
