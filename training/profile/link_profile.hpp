// SPDX-License-Identifier: MIT
/// \file
/// The times of copies between two places, by size.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/language/description.hpp"
#include "training/profile/transfer_fit.hpp"

namespace paceline {

/// Copies in one direction, and the line fitted to their times.
struct LinkProfile {
  std::string from;  ///< "host", "gpu0"; "thread": one worker's memory to another's
  std::string to;
  int at_once = 1;           ///< number of copies in flight at the same time, this one included
  bool staged = false;       ///< through host memory, between GPUs without direct access
  bool both_ways = false;    ///< half of the copies run in the opposite direction
  Seconds latency;           ///< of the fitted line, as are the next three
  BytesPerSecond bandwidth;  ///< of each copy
  Percent rms{0};            ///< residual / time, over the sizes
  Percent worst{0};
  std::optional<BytesPerSecond> driver;  ///< a large copy by the driver (or memcpy) alone
  std::optional<BytesPerSecond> theory;  ///< of the link that the bytes cross, where it is known
  std::string theory_source;             ///< "PCIe 5.0 x16"
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;  ///< by size: the median of one copy

  /// The rate of the largest copy.
  BytesPerSecond large() const { return sizes.back() / times.back(); }
  static void describe(Description<LinkProfile>& d);
};

/// Fits a line to `measured` and keeps it with them. Throws as fit_transfers() does.
void set_transfers(LinkProfile& link, std::span<const TimedTransfer> measured);

}  // namespace paceline
