// SPDX-License-Identifier: MIT
/// \file
/// Where training items come from. A dataset is drawn, not read: item i of (seed, worker, step) is
/// always the same, in any order of calls and on any machine of the same floating point.
#pragma once
#include <cstdint>
#include <span>

#include "experiments/family.hpp"
#include "models/network.hpp"

namespace paceline {

/// A source of labelled items of any shape. Immutable, so workers may share one.
struct Dataset {
  virtual ~Dataset() = default;
  /// Draws the mini-batch of a worker's step: labels.size() items of `input` elements each, in
  /// `inputs` row after row. `step` counts the mini-batches that the worker has begun.
  virtual void draw(const Shape& input, int classes, std::uint64_t seed, int worker,
                    std::int64_t step, std::span<float> inputs,
                    std::span<std::int32_t> labels) const = 0;
};

const Family<Dataset>& table_of(const Dataset*);

}  // namespace paceline
