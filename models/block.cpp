// SPDX-License-Identifier: MIT
#include "models/block.hpp"

namespace paceline {

TypeInfo Value<PlacedBlock>::type() {
  // Not `variants`: blocks hold blocks, and whoever expands a type would never end.
  TypeInfo info;
  info.name = "block";
  info.family = table_of(static_cast<const Block*>(nullptr)).what;
  info.choices = table_of(static_cast<const Block*>(nullptr)).names();
  return info;
}

bool Value<PlacedBlock>::read(PlacedBlock& out, const Tree& tree, Diagnostics& diagnostics) {
  Tree map = tree;
  if (tree.is_map() && tree.find("kind") == nullptr) {
    map.set("kind", Tree::scalar("convolution", tree.at));
  }
  PlacedBlock placed;
  placed.at = tree.at;
  if (!Value<Choice<Block>>::read(placed.block, map, diagnostics)) return false;
  out = std::move(placed);
  return true;
}

Tree Value<PlacedBlock>::write(const PlacedBlock& placed) {
  return Value<Choice<Block>>::write(placed.block);
}

void append_blocks(const std::vector<PlacedBlock>& blocks, NetworkBuilder& builder) {
  const Location outer = builder.blamed();
  for (const PlacedBlock& placed : blocks) {
    if (builder.failed()) return;
    builder.blame(placed.at);
    placed.block->append(builder);
  }
  builder.blame(outer);
}

}  // namespace paceline
