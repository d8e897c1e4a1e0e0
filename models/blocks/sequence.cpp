// SPDX-License-Identifier: MIT
#include "models/blocks/sequence.hpp"

#include "models/limits.hpp"

namespace paceline {

void Embedding::describe(Description<Embedding>& d) {
  d.required("vocabulary", &Embedding::vocabulary, "number of distinct tokens")
      .at_least(2)
      .at_most(kMostVocabulary);
  d.required("features", &Embedding::features, "elements of a token's vector")
      .at_least(1)
      .at_most(kMostChannels);
}

void Embedding::append(NetworkBuilder& builder) const {
  builder.embedding(vocabulary, features);
}

void Lstm::describe(Description<Lstm>& d) {
  d.required("units", &Lstm::units, "features of the output, and cells")
      .at_least(1)
      .at_most(kMostChannels);
  d.optional("layers", &Lstm::layers, "number of stacked layers").at_least(1).at_most(kMostRepeats);
}

void Lstm::append(NetworkBuilder& builder) const {
  for (int i = 0; i < layers && !builder.failed(); ++i) builder.lstm(units);
}
}  // namespace paceline
