// SPDX-License-Identifier: MIT
/// \file
/// The simulator's event queue: events in order of time, ties in order of insertion. A 4-ary heap
/// of small plain records, since it is the hottest data structure of a simulation.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "training/runtime/ring_queue.hpp"

namespace paceline {

/// An event at a time. The engine defines the meaning of `what`, `subject` and `generation`.
struct Event {
  std::int64_t time_ps = 0;
  std::uint64_t rank = 0;  ///< place in the order of insertion, and `what` in the lowest byte
  std::uint32_t subject = 0;
  std::uint32_t generation = 0;
  std::uint8_t what() const { return static_cast<std::uint8_t>(rank); }
};

class EventQueue {
 public:
  /// Lanes for events that mostly arrive in order of their times, such as those after a constant
  /// latency: they need no heap.
  static constexpr int kLanes = 2;

  bool empty() const {
    return heap_.size() == static_cast<std::size_t>(popped_) && lanes_[0].empty() &&
           lanes_[1].empty();
  }
  /// The earliest event. Requires a non-empty queue.
  const Event& top() {
    return *first().event;  // NOLINT(clang-analyzer-core.uninitialized.UndefReturn): not empty
  }

  void push(std::int64_t time_ps, std::uint8_t what, std::uint32_t subject,
            std::uint32_t generation = 0) {
    push_on_heap(make(time_ps, what, subject, generation));
  }
  /// Adds an event to the lane unless it precedes the lane's last event; then to the heap.
  void push_in_lane(int lane, std::int64_t time_ps, std::uint8_t what, std::uint32_t subject,
                    std::uint32_t generation = 0) {
    const Event event = make(time_ps, what, subject, generation);
    RingQueue<Event>& line = lanes_[static_cast<std::size_t>(lane)];
    if (line.empty() || line.back().time_ps <= time_ps) {
      line.push(event);
    } else {
      push_on_heap(event);
    }
  }

  /// The events that may be the next one on the heap, up to four. Unlike `top`, it does not put the
  /// heap in order first.
  std::span<const Event> upcoming() const {
    const std::span<const Event> all(heap_);
    if (!popped_) return all.first(std::min<std::size_t>(all.size(), 1));
    return all.subspan(1, std::min<std::size_t>(all.size() - 1, 4));
  }
  /// Whether another event has this time, which is that of the last one.
  bool more_at(std::int64_t time_ps) const {
    const auto same = [time_ps](const Event& event) { return event.time_ps == time_ps; };
    return std::ranges::any_of(upcoming(), same) ||
           std::ranges::any_of(lanes_, [&](const RingQueue<Event>& line) {
             return !line.empty() && same(line.front());
           });
  }

  Event pop() {
    const First found = first();
    if (found.lane >= 0) return lanes_[static_cast<std::size_t>(found.lane)].pop();
    popped_ = true;
    return heap_.front();
  }

 private:
  struct First {
    const Event* event;
    int lane;  ///< -1: the heap
  };
  First first() {
    if (popped_) fill_root();
    First found{heap_.empty() ? nullptr : &heap_.front(), -1};
    for (int lane = 0; lane < kLanes; ++lane) {
      const RingQueue<Event>& line = lanes_[static_cast<std::size_t>(lane)];
      if (line.empty()) continue;
      if (found.event == nullptr || before(line.front(), *found.event))
        found = {&line.front(), lane};
    }
    return found;
  }

  Event make(std::int64_t time_ps, std::uint8_t what, std::uint32_t subject,
             std::uint32_t generation) {
    Event event;
    event.time_ps = time_ps;
    event.rank = inserted_++ << 8 | what;
    event.subject = subject;
    event.generation = generation;
    return event;
  }

  /// Puts the last event in the place of the one that was popped.
  void fill_root() {
    popped_ = false;
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
  }

  void push_on_heap(const Event& event) {
    if (popped_) {
      popped_ = false;
      return sift_down(event);
    }
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!before(event, heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  // As one number, which needs no branch: which child of a heap comes first cannot be predicted.
  // Times are not negative.
  __extension__ using Key = unsigned __int128;
  static Key key_of(const Event& event) {
    return static_cast<Key>(event.time_ps) << 64 | event.rank;
  }
  static bool before(const Event& a, const Event& b) { return key_of(a) < key_of(b); }

  /// A heap of more events does not lie in the processor's nearest caches.
  static constexpr std::size_t kLarge = 16'384;
  /// Fetches the children of four siblings, while these are compared.
  void fetch_children_of(std::size_t first) const {
    constexpr std::size_t kLine = 64, kBytes = 16 * sizeof(Event);
    const std::size_t begin = 4 * first + 1;
    if (begin + 16 > heap_.size()) return;
    const auto* const bytes = reinterpret_cast<const char*>(&heap_[begin]);
    for (std::size_t at = 0; at < kBytes; at += kLine) __builtin_prefetch(bytes + at);
  }

  void sift_down(const Event& event) {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = 4 * at + 1;
      if (first >= size) break;
      if (size > kLarge) fetch_children_of(first);
      std::size_t least = first;
      if (first + 4 <= size) {
        const std::size_t left = first + before(heap_[first + 1], heap_[first]);
        const std::size_t right = first + 2 + before(heap_[first + 3], heap_[first + 2]);
        least = before(heap_[right], heap_[left]) ? right : left;
      } else {
        for (std::size_t child = first + 1; child < size; ++child) {
          if (before(heap_[child], heap_[least])) least = child;
        }
      }
      if (!before(heap_[least], event)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = event;
  }

  std::array<RingQueue<Event>, kLanes> lanes_;
  std::vector<Event> heap_;
  bool popped_ = false;  ///< the root: most events lead to the next one, which takes its place
  std::uint64_t inserted_ = 0;
};

}  // namespace paceline
