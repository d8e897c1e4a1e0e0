// SPDX-License-Identifier: MIT
/// \file
/// Items drawn from a dataset, for the tests of datasets.
#pragma once
#include <vector>

#include "training/learning/datasets/dataset.hpp"

namespace paceline {

struct DrawnItems {
  std::vector<float> inputs;
  std::vector<float> targets;
  friend bool operator==(const DrawnItems&, const DrawnItems&) = default;

  DrawnItems(Shape shape, std::size_t items)
      : inputs(items * static_cast<std::size_t>(shape.elements())), targets(items) {}
};

inline DrawnItems draw(const Dataset& dataset, Shape shape, int classes, std::size_t items,
                       std::uint64_t seed, int worker, std::int64_t step) {
  DrawnItems drawn(shape, items);
  dataset.draw(shape, classes, seed, worker, step, drawn.inputs, drawn.targets);
  return drawn;
}

inline DrawnItems draw_held_out(const Dataset& dataset, Shape shape, int classes, std::size_t items,
                                std::uint64_t seed, std::int64_t block) {
  DrawnItems drawn(shape, items);
  dataset.held_out(shape, classes, seed, block, drawn.inputs, drawn.targets);
  return drawn;
}

}  // namespace paceline
