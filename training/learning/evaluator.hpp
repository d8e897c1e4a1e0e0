// SPDX-License-Identifier: MIT
/// \file
/// Evaluates weights: their loss and accuracy on items that no worker trains on.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/learning/datasets/dataset.hpp"
#include "training/workload/lengths/batch_lengths.hpp"

namespace paceline {

struct Score {
  double loss = 0;      ///< mean over the items; NaN or infinite if training diverged
  double accuracy = 0;  ///< NaN where the network has no classes
};

/// Evaluates weights on the same `items` held-out items each time, or exactly where the dataset
/// knows the expected loss. Batch norm uses the statistics of the items that are evaluated
/// together, as it does in training. Not thread-safe.
class Evaluator {
 public:
  /// `network` and `dataset` must outlive this, and the dataset must fit the network. Requires
  /// items >= 1.
  /// `lengths`: of sequences of unequal length, of which the items are any; null: all items have
  /// the network's shape.
  Evaluator(const Network& network, const Dataset& dataset, std::uint64_t seed, int items,
            std::shared_ptr<const BatchLengths> lengths = nullptr);
  Score evaluate(std::span<const float> weights);

 private:
  /// The items of one forward pass.
  struct Block {
    std::vector<float> inputs, targets;
    std::vector<int> own;  ///< by item: positions that are not padding; empty: all
  };
  void draw(Block& block, std::int64_t number) const;
  void draw_blocks();

  const Network& network_;
  const Dataset& dataset_;
  std::uint64_t seed_;
  int items_;
  std::shared_ptr<const BatchLengths> lengths_;
  std::vector<Block> blocks_;  ///< of equal size except the last; drawn when first needed
  std::unique_ptr<Arithmetic> full_, last_;
};

}  // namespace paceline
