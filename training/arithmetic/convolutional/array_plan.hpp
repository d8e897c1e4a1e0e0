// SPDX-License-Identifier: MIT
/// \file
/// Which arrays the layers of a graph work on: who may overwrite whom, whose gradients are sums,
/// which arrays serve again. Pure thought about indices; it knows no array.
#pragma once
#include <cstdint>
#include <vector>

#include "models/network.hpp"

namespace paceline {

/// The arrays of every layer, as indices into two lists of sizes.
///
/// Values live from forward until backward, so each has an array of its own, but an activation
/// and an add take over the array of an input that nobody else needs, and dropout that of an
/// activation too. Gradients live from the last
/// reader of a tensor to its maker, so their arrays are lent out in turn and stay in the cache.
struct ArrayPlan {
  static constexpr int kNone = -1;

  /// One input of a layer.
  struct Input {
    int value = kNone;
    int gradient = kNone;  ///< none: nobody below learns
    int landing = kNone;   ///< where to write; not `gradient` itself when that is already in use by
                           ///< another reader of the tensor, and what lands must be added to it
  };
  struct Step {
    std::vector<Input> inputs;
    int value = kNone;     ///< none: the loss writes nothing
    int gradient = kNone;  ///< of `value`; complete when the layer's own backward begins
  };
  std::vector<Step> steps;                ///< one a layer
  std::vector<std::int64_t> value_sizes;  ///< elements of one item; the first holds the inputs
  std::vector<std::int64_t> gradient_sizes;
};

/// Plans `network`, of which unsupported() has nothing to say.
ArrayPlan plan_arrays(const Network& network);

}  // namespace paceline
