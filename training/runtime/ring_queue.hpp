// SPDX-License-Identifier: MIT
/// \file
/// A first-in first-out queue in one block of memory that grows and never shrinks: no allocation
/// once a run is under way.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace paceline {

template <class T>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void push(const T& value) {
    if (size_ == slots_count_) grow();
    slots_[at(size_)] = value;
    ++size_;
  }
  /// The next to be popped, and the last pushed; require that the queue is not empty.
  const T& front() const { return slots_[first_]; }
  const T& back() const { return slots_[at(size_ - 1)]; }
  /// The n-th to be popped, from 0. Requires that there are more than n.
  const T& operator[](std::uint32_t n) const { return slots_[at(n)]; }
  /// Requires that the queue is not empty.
  T pop() {
    T value = slots_[first_];
    first_ = at(1);
    --size_;
    return value;
  }

 private:
  /// The slot of the value that is the n-th to be popped, from 0.
  std::uint32_t at(std::uint32_t n) const { return (first_ + n) & (slots_count_ - 1); }
  void grow() {
    const std::uint32_t larger_count = slots_count_ == 0 ? 1 : 2 * slots_count_;
    auto larger = std::make_unique<T[]>(larger_count);
    for (std::uint32_t i = 0; i < size_; ++i) larger[i] = slots_[at(i)];
    slots_ = std::move(larger);
    slots_count_ = larger_count;
    first_ = 0;
  }
  std::unique_ptr<T[]> slots_;
  std::uint32_t slots_count_ = 0;  ///< a power of two
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace paceline
