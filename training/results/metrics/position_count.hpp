// SPDX-License-Identifier: MIT
/// \file
/// The items and positions of the mini-batches that were computed in a window, where sequences are
/// of unequal length. It draws the lengths again, so that no clock has to report them.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "training/results/metrics/measurement.hpp"
#include "training/runtime/command.hpp"
#include "training/workload/lengths/batch_lengths.hpp"

namespace paceline {

class PositionCount {
 public:
  /// `lengths` may be null: nothing is counted then. `seed`: of the repeat's data.
  PositionCount(std::shared_ptr<const BatchLengths> lengths, std::uint64_t seed)
      : lengths_(std::move(lengths)), seed_(seed) {}

  /// A mini-batch was computed in the window.
  void add(WorkId work) {
    if (lengths_ != nullptr) draw(work);
  }
  /// Items of a mini-batch; empty if none was counted.
  std::optional<double> mean_items() const;
  /// Sets the share of padding and the mean length.
  void report(Measurement& result) const;

 private:
  void draw(WorkId work);

  std::shared_ptr<const BatchLengths> lengths_;
  std::uint64_t seed_;
  std::int64_t mini_batches_ = 0, items_ = 0, positions_ = 0, words_ = 0;
  std::vector<int> drawn_;
};

}  // namespace paceline
