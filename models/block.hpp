// SPDX-License-Identifier: MIT
/// \file
/// A block: an item of `blocks` in a network's YAML, from a single pool to a stage of residual
/// units. A new kind of block is one file in blocks/ and one row in blocks.cpp.
#pragma once
#include <vector>

#include "experiments/language/family.hpp"
#include "models/network_builder.hpp"

namespace paceline {

/// Appends its layers to a network under construction.
struct Block {
  virtual ~Block() = default;
  /// Appends the block's layers after the open layer. The builder notes an error for an impossible
  /// layer.
  virtual void append(NetworkBuilder& builder) const = 0;
};

/// The kinds of block, in the order in which `paceline list` shows them.
const Family<Block>& table_of(const Block*);

/// A block and its position in the file, for errors about shapes.
struct PlacedBlock {
  Location at;
  Choice<Block> block;
};

/// Reads a block. A map without `kind` is a convolution: `{channels: 64, kernel: 3}`.
template <>
struct Value<PlacedBlock> {
  static TypeInfo type();
  static bool read(PlacedBlock& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const PlacedBlock& placed);
};

/// Appends blocks in order; an error is located at the block that caused it.
void append_blocks(const std::vector<PlacedBlock>& blocks, NetworkBuilder& builder);

}  // namespace paceline
