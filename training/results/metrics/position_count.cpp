// SPDX-License-Identifier: MIT
#include "training/results/metrics/position_count.hpp"

namespace paceline {

void PositionCount::draw(WorkId work) {
  const DrawnBatch batch = lengths_->draw(seed_, work.worker, work.step, drawn_);
  const BatchShape& shape = lengths_->shapes()[batch.shape];
  ++mini_batches_;
  items_ += shape.items;
  positions_ += shape.positions();
  words_ += batch.words;
}

std::optional<double> PositionCount::mean_items() const {
  if (mini_batches_ == 0) return std::nullopt;
  return static_cast<double>(items_) / static_cast<double>(mini_batches_);
}

void PositionCount::report(Measurement& result) const {
  if (mini_batches_ == 0) return;
  const auto words = static_cast<double>(words_);
  result.padding = 1 - words / static_cast<double>(positions_);
  result.length_mean = words / static_cast<double>(items_);
}

}  // namespace paceline
