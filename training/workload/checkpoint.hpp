// SPDX-License-Identifier: MIT
/// \file
/// The `checkpoint:` map of an experiment: weights and the optimizer's state are written to
/// storage.
///
///     checkpoint: {every: 100, bandwidth: 500 MB/s, asynchronous: true}
#pragma once
#include <cstdint>

#include "experiments/language/description.hpp"
#include "experiments/language/value.hpp"

namespace paceline {

struct Checkpoint {
  std::int64_t every = 1;
  BytesPerSecond bandwidth{1e9};
  bool asynchronous = false;
  static void describe(Description<Checkpoint>& d);
};

}  // namespace paceline
