// SPDX-License-Identifier: MIT
/// \file
/// The time of a message of any size on a link: the line  time = latency + size / bandwidth  fitted
/// to measured messages, and their deviations from it.
#pragma once
#include <span>

#include "experiments/language/share.hpp"
#include "experiments/language/units.hpp"

namespace paceline {

/// A message and its median time.
struct TimedTransfer {
  Bytes size;
  Seconds time;
};

struct TransferFit {
  Seconds latency;
  BytesPerSecond bandwidth;
  Percent rms;    ///< residual / measured time: root of the mean square
  Percent worst;  ///< the same: the largest

  Seconds time(Bytes size) const { return latency + size / bandwidth; }
};

/// The line of least relative errors, so that a microsecond counts as much in a message of ten
/// microseconds as a millisecond in one of ten milliseconds; outliers count less (Huber's weights).
/// The latency is never negative. Times must be above 0. Throws std::invalid_argument unless a
/// message has more than 0 bytes.
TransferFit fit_transfers(std::span<const TimedTransfer> measured);

}  // namespace paceline
