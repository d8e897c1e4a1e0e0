// SPDX-License-Identifier: MIT
/// \file
/// The `checkpoint:` map of an experiment: weights and the optimizer's state are written to
/// storage.
///
///     checkpoint: {every: 100, bandwidth: 500 MB/s, asynchronous: true}
#pragma once
#include <cstdint>
#include <optional>

#include "experiments/language/description.hpp"
#include "experiments/language/value.hpp"

namespace paceline {

struct Checkpoint {
  std::int64_t every = 1;
  BytesPerSecond bandwidth{1e9};
  std::optional<Bytes> size;  ///< of all that hold weights; absent: weights and optimizer's state
  bool asynchronous = false;
  static void describe(Description<Checkpoint>& d);
};

}  // namespace paceline
