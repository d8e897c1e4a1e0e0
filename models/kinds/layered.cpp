// SPDX-License-Identifier: MIT
#include "models/kinds/layered.hpp"

#include "models/limits.hpp"
#include "models/network_builder.hpp"

namespace paceline {

void Layered::describe(Description<Layered>& d) {
  d.optional("item", &Layered::item, "what throughput counts: images, sequences, samples");
  d.optional("source", &Layered::source, "where the architecture is from");
  d.required("input", &Layered::input, "shape of an item");
  d.required("classes", &Layered::classes, "what the classifier tells apart")
      .at_least(2)
      .at_most(kMostChannels);
  d.optional("batch_norm", &Layered::batch_norm,
             "what follows each convolution: none, shift (beta), or scale (gamma and beta)");
  d.required("blocks", &Layered::blocks, "from the input to the classifier");
}

std::string Layered::invalid() const {
  const bool classifies = !blocks.empty() && blocks.back().block.kind() == "classifier";
  return classifies ? "" : "the last of 'blocks' must be 'classifier'";
}

Network Layered::make(const Location& at, Diagnostics& diagnostics) const {
  Network empty;
  empty.item = item;
  empty.source = source;
  empty.input = input;
  empty.classes = classes;
  NetworkBuilder builder(std::move(empty), batch_norm, diagnostics);
  builder.blame(at);
  append_blocks(blocks, builder);
  return builder.take();
}
}  // namespace paceline
