// SPDX-License-Identifier: MIT
/// \file
/// A vector that grows in blocks and never moves what it holds, so that a reference stays good
/// while others are added.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace paceline {

template <class T>
class StableVector {
 public:
  explicit StableVector(std::size_t size) {
    while (size_ < size) add();
  }
  T& operator[](std::size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  const T& operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }
  std::size_t size() const { return size_; }
  void add() {
    if (size_ % kBlock == 0) blocks_.push_back(std::make_unique<T[]>(kBlock));
    ++size_;
  }

 private:
  static constexpr std::size_t kBlock = 256;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace paceline
