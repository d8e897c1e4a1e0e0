// SPDX-License-Identifier: MIT
/// \file
/// A block: what a network's YAML lists under `blocks`, from a single pool to a stage of residual
/// units. A new kind of block is one file in blocks/ and one row in blocks.cpp.
#pragma once
#include <vector>

#include "experiments/family.hpp"
#include "models/network_builder.hpp"

namespace paceline {

/// Appends its layers to a network.
struct Block {
  virtual ~Block() = default;
  /// Tells the builder what to append. Goes on from the open layer; what cannot be, the builder
  /// notes as an error.
  virtual void append(NetworkBuilder& builder) const = 0;
};

/// The kinds of block, in the order that lists show.
const Family<Block>& table_of(const Block*);

/// A block and where it stands, so that an error of geometry can name the place.
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

/// Appends blocks one after another, blaming each for its errors.
void append_blocks(const std::vector<PlacedBlock>& blocks, NetworkBuilder& builder);

}  // namespace paceline
