// SPDX-License-Identifier: MIT
#include "models/kinds/layered.hpp"

#include "models/limits.hpp"
#include "models/network_builder.hpp"

namespace paceline {

void Layered::describe(Description<Layered>& d) {
  d.optional("item", &Layered::item, "unit of throughput: images, sequences, samples");
  d.optional("source", &Layered::source, "source of the architecture");
  d.required("input", &Layered::input, "shape of an item");
  d.required("classes", &Layered::classes, "number of classes").at_least(2).at_most(kMostChannels);
  d.optional("batch_norm", &Layered::batch_norm,
             "batch norm after each convolution: none, shift (beta), or scale (gamma and beta)");
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
  builder.locate_errors(at);
  append_blocks(blocks, builder);
  return builder.take();
}
}  // namespace paceline
