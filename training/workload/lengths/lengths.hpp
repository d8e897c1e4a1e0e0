// SPDX-License-Identifier: MIT
/// \file
/// The `lengths:` key of an experiment: sequences of unequal length, and how they are put together
/// into mini-batches. A mini-batch is padded to its longest sequence.
///
///     lengths:
///       distribution: {kind: lognormal, mean: 25, cv: 0.6}
///       batch_by: sentences
///       buckets: 5
///       same_bucket: true
#pragma once
#include <span>

#include "training/workload/lengths/length_distribution.hpp"

namespace paceline {

/// The measure of a mini-batch.
enum class BatchBy : std::uint8_t {
  sentences,  ///< `batch` sequences
  words,      ///< as many sequences as have at most `batch` x the network's length positions
};
std::span<const EnumName<BatchBy>> enum_names(const BatchBy*);

/// The order in which an epoch's mini-batches are visited.
enum class LengthOrder : std::uint8_t {
  random,  ///< each mini-batch is of any bucket, by chance
  sorted,  ///< from the shortest sequences of an epoch to its longest
};
std::span<const EnumName<LengthOrder>> enum_names(const LengthOrder*);

struct Lengths {
  Choice<LengthDistribution> distribution;
  BatchBy batch_by = BatchBy::sentences;
  int buckets = 1;
  bool same_bucket = false;
  LengthOrder order = LengthOrder::random;
  int pad_to = 1;

  static void describe(Description<Lengths>& d);
};

}  // namespace paceline
