// SPDX-License-Identifier: MIT
/// \file
/// Plans the arrays that the layers of a graph work on: which layer may overwrite its input, which
/// gradients are sums over several readers, and which arrays are reused. It computes indices only
/// and allocates no arrays.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/network.hpp"

namespace paceline {

/// How a layer's arithmetic uses the arrays that it is given.
struct ArrayUse {
  enum class Looks { nowhere, at_the_sign, at_all };
  bool overwrites = false;       ///< its value may be written over an input
  bool leaves_the_sign = false;  ///< its value has the input's sign, or is 0 where its gradient is
  Looks keeps = Looks::nowhere;  ///< the part of its value that its backward reads again
  /// An input, with another reader, that itself reads the gradient of the value; -1: none.
  int apart = -1;
  bool hands_down = false;  ///< an input's gradient may be written over the gradient of its value
};

/// The arrays of every layer, as indices into two lists of sizes.
///
/// Values live from forward until backward, so each has an array of its own, except that a layer
/// that overwrites takes over the array of an input if no later computation needs the old value.
/// Gradients live from the last reader of a tensor to the layer that made it, so a few arrays are
/// reused in turn and stay in the cache.
struct ArrayPlan {
  static constexpr int kNone = -1;

  /// One input of a layer.
  struct Input {
    int value = kNone;
    int gradient = kNone;  ///< none: no layer below has parameters
    int landing = kNone;   ///< where backward writes
    bool adds = false;     ///< another reader of the tensor has already written `gradient`, so
                           ///< `landing` must be added to it
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

/// Plans `network`, which unsupported() must accept, for the arithmetic in this folder:
/// activations, additions and dropout work in place, and a contribution to an existing gradient
/// lands in an array of its own.
ArrayPlan plan_arrays(const Network& network);
/// Plans for arithmetic that uses the arrays of each layer as `uses` says and adds to gradients
/// itself, so that `landing` is `gradient`.
ArrayPlan plan_arrays(const Network& network, std::span<const ArrayUse> uses);
/// Plans for forward passes alone: there are no gradients, and a value's array is reused once its
/// last reader has run.
ArrayPlan plan_forward_arrays(const Network& network, std::span<const ArrayUse> uses);

}  // namespace paceline
