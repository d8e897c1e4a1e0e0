// SPDX-License-Identifier: MIT
#include "models/blocks/inception.hpp"

namespace paceline {

std::string Branches::invalid() const {
  return branches.size() < 2 ? "'branches' must be at least 2 lists of blocks" : "";
}

void Branches::append_branches(NetworkBuilder& builder) const {
  builder.shape();  // notes an error unless one layer is open
  const std::vector<int> input = builder.open();
  std::vector<int> ends;
  for (const std::vector<PlacedBlock>& branch : branches) {
    if (builder.failed()) return;
    builder.go_on_from(input);
    append_blocks(branch, builder);
    ends.insert(ends.end(), builder.open().begin(), builder.open().end());
  }
  builder.go_on_from(std::move(ends));
}

void Inception::describe(Description<Inception>& d) {
  d.required("branches", static_cast<decltype(branches) Inception::*>(&Inception::branches),
             "lists of blocks that read the same input");
}

void Inception::append(NetworkBuilder& builder) const {
  append_branches(builder);
  if (!builder.failed()) builder.concat();
}

void Fork::describe(Description<Fork>& d) {
  d.required("branches", static_cast<decltype(branches) Fork::*>(&Fork::branches),
             "lists of blocks that read the same input");
}
}  // namespace paceline
