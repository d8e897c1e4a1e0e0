// SPDX-License-Identifier: MIT
/// \file
/// What copies between two places took, over sizes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/description.hpp"
#include "training/profile/transfer_fit.hpp"

namespace paceline {

/// Copies in one direction, and the line through them.
struct LinkProfile {
  std::string from;  ///< "host", "gpu0"; "thread": one worker's memory to another's
  std::string to;
  int at_once = 1;           ///< copies that were under way at the same time, this one among them
  bool staged = false;       ///< between GPUs that do not reach each other: by host memory
  bool both_ways = false;    ///< half of them the other way
  Seconds latency;           ///< of the fitted line, as the three below
  BytesPerSecond bandwidth;  ///< that each of them gets
  Percent rms{0};            ///< residual / time, over the sizes
  Percent worst{0};
  std::optional<BytesPerSecond> driver;  ///< a large copy by the driver (or memcpy) alone
  std::optional<BytesPerSecond> theory;  ///< of what the bytes cross, where that is known
  std::string theory_source;             ///< "PCIe 5.0 x16"
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;  ///< by size: the median of one copy

  /// The rate of the largest copy.
  BytesPerSecond large() const { return sizes.back() / times.back(); }
  static void describe(Description<LinkProfile>& d);
};

/// Fits a line through `measured` and keeps it beside them. Throws as fit_transfers().
void set_transfers(LinkProfile& link, std::span<const TimedTransfer> measured);

}  // namespace paceline
