// SPDX-License-Identifier: MIT
/// \file
/// The work of a worker's loaders on a mini-batch, as an input source says it.
#pragma once
#include <cstdint>

#include "experiments/language/units.hpp"

namespace paceline {

struct Loading {
  int loaders = 0;        ///< of each worker; 0: items are there without them
  bool shared = false;    ///< a mini-batch is divided among all loaders, else each makes whole ones
  bool gathers = false;   ///< items are copied into the mini-batch when all are ready
  bool pins = false;      ///< one thread copies each mini-batch that loaders have made
  bool pageable = false;  ///< mini-batches are copied to GPUs from memory that is not pinned
  std::int64_t resident = 0;  ///< items of a data set that lies in the worker's memory; 0: none
  int prefetch = 1;           ///< mini-batches that loaders prepare ahead
  int staging = 0;            ///< mini-batches that are copied to the worker ahead
  Seconds read;               ///< of an item's record, from a storage that does nothing else
  Seconds latency;  ///< of it, until the record has come; the storage serves others meanwhile
  Seconds prepare;  ///< of an item, on one core
  explicit operator bool() const { return loaders > 0; }
  /// Whether a worker's mini-batches come from elsewhere.
  bool brings() const { return loaders > 0 || resident > 0; }
};

}  // namespace paceline
