// SPDX-License-Identifier: MIT
/// \file
/// Decides which layers of a network one operation computes together: elementwise layers after a
/// batch norm, a convolution or a fully connected layer are fused with it, which saves memory
/// traffic. Works on layer indices only, without a device.
#pragma once
#include <vector>

#include "models/network.hpp"

namespace paceline::cuda {

/// Layers that are computed together, or a single layer. A group runs at the index of its last
/// layer in both passes: forward when all its inputs are ready, and backward before any of its
/// earlier layers is due, so that their gradients are ready in time for every order of buckets.
struct Group {
  std::vector<int> layers;  ///< ascending; the first determines the kind
  bool add = false;         ///< an add of two tensors is fused
  int shortcut = -1;        ///< the second batch norm, the output of which is added; -1: none
  bool relu = false;        ///< a ReLU ends the group, or precedes its pool
  int pool = -1;            ///< a pool after a batch norm's ReLU, which ends the group; -1: none
  int stride = 1;           ///< of a batch norm: it writes only every stride-th row and column
  /// With a stride, an add and a ReLU: the operand that it adds takes the output's gradient, apart
  /// from what its other readers add up.
  bool apart = false;
  int apart_reader = -1;  ///< the group (by its last layer) that adds this one so; -1: none
  /// Of a convolution: only a batch norm reads it, which needs its sums by channel. Of a batch
  /// norm: an input that it normalises is of such a convolution.
  bool sums = false;
  /// The inputs: each is the last layer of its group, or -1. The other operand of a fused add comes
  /// last, or the input of the second batch norm.
  std::vector<int> inputs;

  int first() const { return layers.front(); }
  int last() const { return layers.back(); }
};

/// The groups of `network`, in the order of their last layers; every layer is in exactly one.
/// Requires that unsupported() is "" for the network. Fused are
/// batch norm, add, ReLU (any but the first may be missing),
/// batch norm, ReLU, max pool with windows of at most twice their stride,
/// batch norm, add, ReLU, mean of the image,
/// two batch norms, their add, ReLU (which may be missing),
/// convolution, ReLU,
/// fully connected layer, ReLU
/// if no other layer reads the intermediate tensors. A convolution without a bias also sums its
/// output for a batch norm, where that is trained. If an add has two batch norms as operands that
/// cannot both be fused with it, it is fused with the first. If only convolutions of 1x1 with the
/// same stride and no padding read what a batch norm's group makes, it makes only the pixels that
/// they read; the gradient of the operand that it adds is then kept apart, where that is of a batch
/// norm with an add and a ReLU that others read too.
std::vector<Group> plan_fusion(const Network& network);

/// The network with one layer per group: the group's first layer, with the output of its last. A
/// batch norm that writes a part of the pixels has the stride, and its readers have none.
Network network_of(const Network& network, const std::vector<Group>& groups);

}  // namespace paceline::cuda
