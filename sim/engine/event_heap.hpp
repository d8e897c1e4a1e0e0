// SPDX-License-Identifier: MIT
/// \file
/// A 4-ary heap of events.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sim/engine/event.hpp"

namespace paceline {

class EventHeap {
 public:
  bool empty() const { return size() == 0; }
  std::size_t size() const { return events_.size() - static_cast<std::size_t>(popped_); }
  /// The earliest event. Requires a non-empty heap.
  const Event& top() {
    if (popped_) fill_root();
    return events_.front();
  }
  /// Requires a non-empty heap.
  Event pop() {
    const Event event = top();
    popped_ = true;
    return event;
  }
  void push(const Event& event) {
    if (popped_) {
      popped_ = false;
      return sift_down(event);
    }
    std::size_t at = events_.size();
    events_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!before(event, events_[parent])) break;
      events_[at] = events_[parent];
      at = parent;
    }
    events_[at] = event;
  }
  /// The events that may be the next one, up to four. Unlike `top`, it does not put the heap in
  /// order first.
  std::span<const Event> upcoming() const {
    const std::span<const Event> all(events_);
    if (!popped_) return all.first(std::min<std::size_t>(all.size(), 1));
    return all.subspan(1, std::min<std::size_t>(all.size() - 1, 4));
  }
  /// All events, in no order; the heap is empty afterwards.
  std::vector<Event> take_all() {
    if (popped_) fill_root();
    return std::exchange(events_, {});
  }

 private:
  /// Puts the last event in the place of the one that was popped.
  void fill_root() {
    popped_ = false;
    const Event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) sift_down(last);
  }

  void sift_down(const Event& event) {
    const std::size_t size = events_.size();
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = 4 * at + 1;
      if (first >= size) break;
      std::size_t least = first;
      if (first + 4 <= size) {
        const std::size_t left = first + before(events_[first + 1], events_[first]);
        const std::size_t right = first + 2 + before(events_[first + 3], events_[first + 2]);
        least = before(events_[right], events_[left]) ? right : left;
      } else {
        for (std::size_t child = first + 1; child < size; ++child) {
          if (before(events_[child], events_[least])) least = child;
        }
      }
      if (!before(events_[least], event)) break;
      events_[at] = events_[least];
      at = least;
    }
    events_[at] = event;
  }

  std::vector<Event> events_;
  bool popped_ = false;  ///< the root: most events lead to the next one, which takes its place
};

}  // namespace paceline
