// SPDX-License-Identifier: MIT
/// \file
/// Keeps the ground truth of a dataset. It follows from the seed and the network's shape, so it is
/// computed once and used by all later draws.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>

#include "models/network.hpp"

namespace paceline {

/// The values that the ground truth depends on, besides the dataset's own keys.
struct TruthKey {
  std::uint64_t seed = 0;
  Shape input;
  int classes = 0;
  friend bool operator==(const TruthKey&, const TruthKey&) = default;
};

/// Keeps the truth of the last key requested. Thread-safe.
template <class Truth>
class TruthCache {
 public:
  /// The truth of `key`; calls make() if the truth kept is of another key.
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
