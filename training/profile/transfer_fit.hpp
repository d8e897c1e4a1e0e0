// SPDX-License-Identifier: MIT
/// \file
/// What a link takes for messages of any size: the line  time = latency + size / bandwidth  through
/// measured ones, and how far they are from it.
#pragma once
#include <span>

#include "experiments/share.hpp"
#include "experiments/units.hpp"

namespace paceline {

/// A message, and the median time that it took.
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

/// The line that is nearest in relative terms, so that a microsecond counts as much where a message
/// takes ten as a millisecond where it takes ten thousand; what is far off counts for less (Huber's
/// weights). Never a negative latency. Times must be above 0. Throws std::invalid_argument without
/// a message of more than no bytes.
TransferFit fit_transfers(std::span<const TimedTransfer> measured);

}  // namespace paceline
