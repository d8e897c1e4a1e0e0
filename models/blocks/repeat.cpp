// SPDX-License-Identifier: MIT
#include "models/blocks/repeat.hpp"

#include "models/limits.hpp"

namespace paceline {

void Repeat::describe(Description<Repeat>& d) {
  d.required("times", &Repeat::times, "number of repetitions").at_least(1).at_most(kMostRepeats);
  d.required("blocks", &Repeat::blocks, "blocks to repeat");
}

std::string Repeat::invalid() const {
  return blocks.empty() ? "'blocks' must not be empty" : "";
}

void Repeat::append(NetworkBuilder& builder) const {
  for (int i = 0; i < times && !builder.failed(); ++i) append_blocks(blocks, builder);
}
}  // namespace paceline
