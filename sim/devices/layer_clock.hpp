// SPDX-License-Identifier: MIT
/// \file
/// How long a range of layers takes, and where its layers' borders are: cancelled arithmetic stops
/// at the next one.
#pragma once
#include <span>
#include <vector>

#include "sim/costs/costs.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class LayerClock {
 public:
  explicit LayerClock(const Costs& costs);

  std::int32_t count() const { return static_cast<std::int32_t>(forward_.size()) - 1; }

  /// Picoseconds of the range on an undisturbed worker.
  std::int64_t duration(LayerRange layers) const;

  /// The first border of a layer at or after `elapsed` picoseconds into the range.
  std::int64_t border_after(LayerRange layers, std::int64_t elapsed) const;

  /// A layer of a range and when it runs, in picoseconds from the range's begin.
  struct Turn {
    std::int32_t layer = 0;
    std::int64_t begin_ps = 0, end_ps = 0;
  };
  /// The layers of a range in the order in which they run, as far as `elapsed` picoseconds take it.
  std::vector<Turn> turns(LayerRange layers, std::int64_t elapsed) const;

 private:
  std::vector<std::int64_t> forward_;   ///< time before layer i, of a forward pass
  std::vector<std::int64_t> backward_;  ///< of a backward pass, as if it began at layer 0
};

}  // namespace paceline
