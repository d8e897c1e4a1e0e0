// SPDX-License-Identifier: MIT
/// \file
/// Which arrays the layers of a graph work on: who may overwrite whom, whose gradients are sums,
/// which arrays serve again. Pure thought about indices; it knows no array.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/network.hpp"

namespace paceline {

/// What a layer's arithmetic does with the arrays that it is given.
struct ArrayUse {
  enum class Looks { nowhere, at_the_sign, at_all };
  bool overwrites = false;       ///< its value may lie where an input lies
  bool leaves_the_sign = false;  ///< its value has the input's sign, or is 0 as its gradient is
  Looks keeps = Looks::nowhere;  ///< what of its value its backward looks at again
  bool hands_down = false;  ///< an input's gradient may lie where the gradient of its value lies
};

/// The arrays of every layer, as indices into two lists of sizes.
///
/// Values live from forward until backward, so each has an array of its own, but a layer that
/// overwrites takes over the array of an input of which nobody needs what is lost. Gradients live
/// from the last reader of a tensor to its maker, so their arrays are lent out in turn and stay in
/// the cache.
struct ArrayPlan {
  static constexpr int kNone = -1;

  /// One input of a layer.
  struct Input {
    int value = kNone;
    int gradient = kNone;  ///< none: nobody below learns
    int landing = kNone;   ///< where to write
    bool adds = false;     ///< another reader of the tensor has written `gradient` already: what is
                           ///< written must be added to it
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

/// Plans `network`, of which unsupported() has nothing to say, for the arithmetic beside this file:
/// activations, adds and dropout work in place, and what is added to a gradient lands in an array
/// of its own.
ArrayPlan plan_arrays(const Network& network);
/// Plans for arithmetic that uses the arrays of each layer as `uses` says and adds to gradients
/// itself: `landing` is `gradient`.
ArrayPlan plan_arrays(const Network& network, std::span<const ArrayUse> uses);

}  // namespace paceline
