// SPDX-License-Identifier: MIT
/// \file
/// The `validation:` map of an experiment: before some of its mini-batches each worker takes other
/// items forward through the network, on the weights that it is about to train on. The passes take
/// time and change nothing.
///
///     validation: {every: 100, batches: 10, batch: 64, prefetch: 2}
#pragma once
#include <cstdint>
#include <optional>

#include "experiments/language/description.hpp"
#include "experiments/language/value.hpp"

namespace paceline {

struct Validation {
  std::int64_t every = 1;
  int batches = 1;
  std::optional<int> batch;     ///< absent: that of training
  std::optional<int> prefetch;  ///< absent: that of the input pipeline

  int batch_or(int of_training) const { return batch.value_or(of_training); }
  static void describe(Description<Validation>& d);
};

}  // namespace paceline
