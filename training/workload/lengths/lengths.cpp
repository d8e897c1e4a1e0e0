// SPDX-License-Identifier: MIT
#include "training/workload/lengths/lengths.hpp"

#include "models/limits.hpp"

namespace paceline {

std::span<const EnumName<BatchBy>> enum_names(const BatchBy*) {
  static constexpr EnumName<BatchBy> kNames[] = {{"sentences", BatchBy::sentences},
                                                 {"words", BatchBy::words}};
  return kNames;
}

std::span<const EnumName<LengthOrder>> enum_names(const LengthOrder*) {
  static constexpr EnumName<LengthOrder> kNames[] = {{"random", LengthOrder::random},
                                                     {"sorted", LengthOrder::sorted}};
  return kNames;
}

void Lengths::describe(Description<Lengths>& d) {
  d.required("distribution", &Lengths::distribution, "lengths of the sequences, in positions");
  d.optional("batch_by", &Lengths::batch_by,
             "a mini-batch has `batch` sentences, or as many as fill the words (positions) of "
             "`batch` sentences of the network's length");
  d.optional("buckets", &Lengths::buckets,
             "ranges of lengths, equally wide; a mini-batch is of one of them (as many as the "
             "network has positions: only sequences of one length are put together)")
      .at_least(1)
      .at_most(kMostPixels);
  d.optional("same_bucket", &Lengths::same_bucket,
             "all workers take their mini-batches of a step from one bucket");
  d.optional("order", &Lengths::order,
             "buckets by chance, or from the shortest to the longest in each epoch");
  d.optional(
       "pad_to", &Lengths::pad_to,
       "padded lengths are multiples of this; 0: without padding, as kernels that compute the "
       "positions of all sequences in one row")
      .at_least(0)
      .at_most(kMostPixels);
}

}  // namespace paceline
