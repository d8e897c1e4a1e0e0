// SPDX-License-Identifier: MIT
/// \file
/// The pieces of a pass that may be given up. A device has two at a time, so short ones lose little
/// when a mini-batch is cancelled; but each takes the host time, by estimate 30 us, and one thread
/// hands over those of all workers. So pieces are alike in time, not in layers.
#pragma once
#include <array>
#include <vector>

#include "exec/cuda/network/cuda_network.hpp"
#include "experiments/language/units.hpp"

namespace paceline::cuda {

class Pieces {
 public:
  /// At least this long, by estimate at the rates of data sheets. Small networks reach a third of
  /// them (ResNet-20 on an H200: 2.8 ms a mini-batch for 1 ms), so that the host, which needs 30 us
  /// (measured there: a launch 3.6 us, handling 10 us, a decision 28 us), needs some 5 % of it.
  static constexpr Seconds kShortest{0.2e-3};
  /// Of a pass, at most: of a mini-batch in progress, a sixteenth of a pass in each piece is lost.
  static constexpr int kMost = 16;

  /// `lanes_rate`: flop/s in fp32 of what the worker has of the card. Times are estimated for it.
  Pieces(const NetworkSetting& setting, double lanes_rate);

  /// The piece that `rest` begins with; `rest` may end within one.
  LayerRange first_of(const LayerRange& rest) const;
  /// Estimated times of whole passes.
  Seconds time(Pass pass) const { return times_[static_cast<std::size_t>(pass)]; }

 private:
  std::array<Seconds, 2> times_;              ///< by pass
  std::array<std::vector<int>, 2> piece_of_;  ///< by pass and layer: its piece, from 0
};

/// The rate of `sms` multiprocessors of a device at its highest clock. Throws Error.
double lanes_rate(int device, double sms);

}  // namespace paceline::cuda
