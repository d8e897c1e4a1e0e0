// SPDX-License-Identifier: MIT
/// \file
/// A list that works out each item on access.
#pragma once
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

namespace paceline {

template <class Item>
class ComputedList {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Item;
    Iterator() = default;
    Iterator(const ComputedList* list, std::size_t place) : list_(list), place_(place) {}
    Item operator*() const { return (*list_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    Iterator operator++(int) { return {list_, place_++}; }
    bool operator==(const Iterator& other) const { return place_ == other.place_; }

   private:
    const ComputedList* list_ = nullptr;
    std::size_t place_ = 0;
  };

  ComputedList(std::size_t size, std::function<Item(int)> item)
      : size_(size), item_(std::move(item)) {}
  std::size_t size() const { return size_; }
  Item operator[](std::size_t place) const { return item_(static_cast<int>(place)); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  std::size_t size_;
  std::function<Item(int)> item_;
};

}  // namespace paceline
