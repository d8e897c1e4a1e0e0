// SPDX-License-Identifier: MIT
/// \file
/// The simulator's event queue: events in order of time, ties in order of insertion. Few events
/// are a heap of small plain records, since it is the hottest data structure of a simulation; of
/// many, those that are far ahead wait in buckets.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/engine/event.hpp"
#include "sim/engine/event_heap.hpp"
#include "sim/engine/far_events.hpp"
#include "training/runtime/ring_queue.hpp"

namespace paceline {

class EventQueue {
 public:
  /// Lanes for events that mostly arrive in order of their times, such as those after a constant
  /// latency: they need no heap.
  static constexpr int kLanes = 2;
  /// A heap of more events is slower than buckets.
  static constexpr std::size_t kMostOnHeap = 16'384;

  explicit EventQueue(std::size_t most_on_heap = kMostOnHeap) : most_on_heap_(most_on_heap) {}

  bool empty() const {
    return heap_.empty() && far_.empty() &&
           std::ranges::all_of(lanes_, [](const auto& line) { return line.empty(); });
  }
  /// The earliest event. Requires a non-empty queue.
  const Event& top() {
    return *first().event;  // NOLINT(clang-analyzer-core.uninitialized.UndefReturn): not empty
  }
  /// The earliest event. Requires a non-empty queue.
  Event pop() {
    const First found = first();
    if (found.lane < 0) return heap_.pop();
    const Event event = lanes_[static_cast<std::size_t>(found.lane)].pop();
    if (!far_.empty() && lanes_[kInOrder].size() < kLookAhead) fetch_far();
    return event;
  }

  void push(std::int64_t time_ps, std::uint8_t what, std::uint32_t subject,
            std::uint32_t generation = 0) {
    add(make(time_ps, what, subject, generation));
  }
  /// Adds an event to the lane unless it precedes the lane's last event; then to the others.
  void push_in_lane(int lane, std::int64_t time_ps, std::uint8_t what, std::uint32_t subject,
                    std::uint32_t generation = 0) {
    const Event event = make(time_ps, what, subject, generation);
    RingQueue<Event>& line = lanes_[static_cast<std::size_t>(lane)];
    if (line.empty() || line.back().time_ps <= time_ps) {
      line.push(event);
    } else {
      add(event);
    }
  }

  /// Of many events, one that is `n` places behind the next one, from 0, unless events are added
  /// before it, good until an event is added or popped; null: not known.
  const Event* ahead(std::uint32_t n) const {
    const RingQueue<Event>& line = lanes_[kInOrder];
    return n < line.size() ? &line[n] : nullptr;
  }
  /// Of few events, the next one unless events are added before it, good until an event is added or
  /// popped; null: there is none on the heap.
  const Event* probably_next() const {
    const std::span<const Event> upcoming = heap_.upcoming();
    if (upcoming.empty()) return nullptr;
    const Event* least = &upcoming.front();
    for (const Event& event : upcoming) least = before(event, *least) ? &event : least;
    return least;
  }
  static constexpr std::uint32_t kLookAhead = 16;  ///< places that are known until the last events

  /// Whether another event has this time, which is that of the last one.
  bool more_at(std::int64_t time_ps) const {
    const auto same = [time_ps](const Event& event) { return event.time_ps == time_ps; };
    return std::ranges::any_of(heap_.upcoming(), same) ||
           std::ranges::any_of(lanes_, [&](const RingQueue<Event>& line) {
             return !line.empty() && same(line.front());
           });
  }

 private:
  static constexpr std::size_t kInOrder = kLanes;  ///< the lane of events that were far

  struct First {
    const Event* event;
    int lane;  ///< -1: the heap
  };
  First first() {
    First found = first_of_near();
    // a lane may reach beyond the horizon
    while (!far_.empty() && (found.event == nullptr || found.event->time_ps >= far_.horizon_ps())) {
      fetch_far();
      found = first_of_near();
    }
    return found;
  }
  First first_of_near() {
    First found{heap_.empty() ? nullptr : &heap_.top(), -1};
    for (int lane = 0; lane <= kLanes; ++lane) {
      const RingQueue<Event>& line = lanes_[static_cast<std::size_t>(lane)];
      if (line.empty()) continue;
      if (found.event == nullptr || before(line.front(), *found.event))
        found = {&line.front(), lane};
    }
    return found;
  }
  void fetch_far() {
    for (const Event& event : far_.take()) lanes_[kInOrder].push(event);
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
  void add(const Event& event) {
    if (!far_.empty() && event.time_ps >= far_.horizon_ps()) return far_.add(event);
    heap_.push(event);
    // events in order may be later than some on the heap
    if (heap_.size() > most_on_heap_ && far_.empty() && lanes_[kInOrder].empty())
      far_.begin(heap_.take_all());
  }

  std::size_t most_on_heap_;
  std::array<RingQueue<Event>, kLanes + 1> lanes_;
  EventHeap heap_;
  FarEvents far_;
  std::uint64_t inserted_ = 0;
};

}  // namespace paceline
