// SPDX-License-Identifier: MIT
/// \file
/// A first-in first-out queue in one block of memory that grows and never shrinks: no allocation
/// once a run is under way.
#pragma once
#include <cstddef>
#include <vector>

namespace paceline {

template <class T>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void push(const T& value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_) & (slots_.size() - 1)] = value;
    ++size_;
  }
  /// The next to be popped, and the last pushed; require that the queue is not empty.
  const T& front() const { return slots_[first_]; }
  const T& back() const { return slots_[(first_ + size_ - 1) & (slots_.size() - 1)]; }
  /// Requires that the queue is not empty.
  T pop() {
    T value = slots_[first_];
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
    return value;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 1 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = slots_[(first_ + i) & (slots_.size() - 1)];
    slots_ = std::move(larger);
    first_ = 0;
  }
  std::vector<T> slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace paceline
