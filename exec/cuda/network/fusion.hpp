// SPDX-License-Identifier: MIT
/// \file
/// Which layers of a network one operation computes together: what follows a batch norm, a
/// convolution or a fully connected layer element by element joins it, so that a tensor goes to
/// memory and back less often. Pure thought about indices; it knows no device.
#pragma once
#include <vector>

#include "models/network.hpp"

namespace paceline::cuda {

/// Layers that are computed together, or one alone. A group runs at the index of its last layer,
/// both ways: forward when everything that it reads is there, and backward before any of its
/// earlier layers is due, so that their gradients are there in time for every order of buckets.
struct Group {
  std::vector<int> layers;  ///< ascending; the first says what kind it is
  bool add = false;         ///< an add of two tensors is within
  bool relu = false;        ///< ReLU ends it
  /// What it reads: a layer that is the last of its group, or -1. Of an add within, the operand
  /// from outside is the last.
  std::vector<int> inputs;

  int first() const { return layers.front(); }
  int last() const { return layers.back(); }
};

/// The groups of `network`, of which unsupported() has nothing to say, in the order of their last
/// layers; every layer is in exactly one. Together go
///   batch norm, add, ReLU (any but the first may be missing),
///   convolution, ReLU,
///   fully connected layer, ReLU
/// where nobody else reads what is between. Of two batch norms that are added, the one that the add
/// names first takes it: a residual unit's main path, which NetworkBuilder::add puts first.
std::vector<Group> plan_fusion(const Network& network);

/// The network of the groups, each as one layer: its first layer, with the output of its last.
Network network_of(const Network& network, const std::vector<Group>& groups);

}  // namespace paceline::cuda
