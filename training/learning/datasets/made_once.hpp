// SPDX-License-Identifier: MIT
/// \file
/// What a dataset is made of follows from its seed and the network's shape; it is worked out once
/// and kept for the draws after.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>

#include "models/network.hpp"

namespace paceline {

/// What the truth behind a dataset depends on, beside the dataset's own keys.
struct TruthKey {
  std::uint64_t seed = 0;
  Shape input;
  int classes = 0;
  friend bool operator==(const TruthKey&, const TruthKey&) = default;
};

/// Keeps the truth of the key asked for last. Many threads may ask.
template <class Truth>
class Kept {
 public:
  /// The truth of `key`; make() works it out if it is not the one kept.
  template <class Make>
  std::shared_ptr<const Truth> of(const TruthKey& key, const Make& make) const {
    const std::lock_guard lock(mutex_);
    if (truth_ == nullptr || !(key_ == key)) {
      truth_ = std::make_shared<const Truth>(make());
      key_ = key;
    }
    return truth_;
  }

 private:
  mutable std::mutex mutex_;
  mutable TruthKey key_;
  mutable std::shared_ptr<const Truth> truth_;
};

}  // namespace paceline
