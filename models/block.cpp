// SPDX-License-Identifier: MIT
#include "models/block.hpp"

namespace paceline {

namespace {

constexpr const char* kDefaultKind = "convolution";

/// The first key of a map without `kind` that is the name of a kind of block, as in `{embedding:
/// {...}}`; null if there is none.
const Member* misplaced_kind(const Tree& map) {
  const Family<Block>& table = family<Block>();
  for (const Member& member : map.members) {
    if (table.find(member.key) != nullptr) return &member;
  }
  return nullptr;
}

}  // namespace

TypeInfo Value<PlacedBlock>::type() {
  return Value<Choice<Block>>::type();
}

bool Value<PlacedBlock>::read(PlacedBlock& out, const Tree& tree, Diagnostics& diagnostics) {
  Tree map = tree;
  if (tree.is_map() && tree.find("kind") == nullptr) {
    if (const Member* kind = misplaced_kind(tree); kind != nullptr) {
      diagnostics.error(kind->key_at, "'" + kind->key +
                                          "' is a kind of block, not a key (write {kind: " +
                                          kind->key + ", ...})");
      return false;
    }
    map.set("kind", Tree::scalar(kDefaultKind, tree.at));
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
  const Location outer = builder.error_location();
  for (const PlacedBlock& placed : blocks) {
    if (builder.failed()) return;
    builder.locate_errors(placed.at);
    placed.block->append(builder);
  }
  builder.locate_errors(outer);
}

}  // namespace paceline
