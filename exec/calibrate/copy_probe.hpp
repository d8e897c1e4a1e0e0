// SPDX-License-Identifier: MIT
/// \file
/// A role that copies messages of every size, one at a time or several at once, through the streams
/// that strategies use. Calibration fits its link parameters to these times.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "exec/calibrate/probe.hpp"
#include "experiments/language/units.hpp"
#include "training/profile/transfer_fit.hpp"

namespace paceline {

/// A timed copy; the probe sets its slice.
struct ProbedCopy {
  Stream stream;
  BufferRef from, to;
};

/// Records the duration of the last copy on each stream.
class CopyObserver final : public ProbeObserver {
 public:
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override {
    ProbeObserver::operation(stream, command, begin, end);
    durations_[key(stream)] = end - begin;
  }
  Seconds duration(Stream stream) const { return durations_.at(key(stream)); }

 private:
  static std::pair<int, int> key(Stream stream) {
    return {stream.role, static_cast<int>(stream.kind)};
  }
  std::map<std::pair<int, int>, Seconds> durations_;
};

/// The copies to time and the time budget.
struct CopyProbe {
  std::vector<ProbedCopy> copies;  ///< started together, each on its own stream
  std::vector<Bytes> sizes;        ///< multiples of 4 bytes, within the buffers
  Seconds budget{0.1};             ///< for each size; the minimum number of rounds may take longer
};

/// Runs a probe as role 0. `times` has one list for each copy: the median time of each size.
Task<> copy_role(Backend& backend, const CopyObserver& observer, const CopyProbe& probe,
                 std::vector<std::vector<TimedTransfer>>& times);

}  // namespace paceline
