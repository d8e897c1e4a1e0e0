// SPDX-License-Identifier: MIT
/// \file
/// Events that lie too far ahead to be put in order: buckets of equal spans of time, in which an
/// event is only appended, and one list of all events after these. A bucket is put in order when
/// its span comes, and the list is dealt out to new buckets when the last one has come, so that an
/// event costs the same however many there are.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sim/engine/event_lists.hpp"

namespace paceline {

class FarEvents {
 public:
  bool empty() const { return size_ == 0; }
  /// No event is before it: all that come before it are kept elsewhere. At the end of time if there
  /// are none.
  std::int64_t horizon_ps() const { return horizon_ps_; }

  /// Begins to keep events. Requires that it is empty and that `events` are not.
  void begin(const std::vector<Event>& events) {
    size_ = events.size();
    for (const Event& event : events) lists_.add(later_, event);
    deal_out();
  }
  /// Requires that the event is not before the horizon, and that it is not empty.
  void add(const Event& event) {
    ++size_;
    lists_.add(bucket_of(event), event);
  }
  /// The events of the first bucket that has any, in order: good until the next call. The horizon
  /// is the end of that bucket then. Requires that it is not empty.
  std::span<const Event> take() {
    while (next_ == buckets_.size() || buckets_[next_] == EventLists::kEmpty) {
      if (next_ == buckets_.size()) {
        deal_out();
      } else {
        ++next_;
      }
    }
    next_events_.clear();
    lists_.take(buckets_[next_++], [this](const Event& event) { next_events_.push_back(event); });
    size_ -= next_events_.size();
    horizon_ps_ = size_ == 0 ? kNever : end_of_bucket_ps(next_ - 1);
    std::ranges::sort(next_events_, before);
    return next_events_;
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t kOfBucket = 64, kMostBuckets = 4096;
  static constexpr int kMostShift = 62;

  EventLists::List& bucket_of(const Event& event) {
    const auto place = static_cast<std::uint64_t>(event.time_ps - begin_ps_) >> shift_;
    return place < buckets_.size() ? buckets_[place] : later_;
  }
  std::int64_t end_of_bucket_ps(std::size_t bucket) const {
    const auto begin = static_cast<std::uint64_t>(begin_ps_);
    const std::uint64_t end = begin + ((static_cast<std::uint64_t>(bucket) + 1) << shift_);
    return static_cast<std::int64_t>(std::min(end, static_cast<std::uint64_t>(kNever)));
  }
  /// New buckets from the first event on, twice as far as the middle one or further.
  void deal_out() {
    EventLists::List events = std::exchange(later_, EventLists::kEmpty);
    std::vector<std::int64_t> times_ps;
    lists_.for_each(events, [&](const Event& event) { times_ps.push_back(event.time_ps); });
    const auto middle = times_ps.begin() + static_cast<std::ptrdiff_t>(times_ps.size() / 2);
    std::ranges::nth_element(times_ps, middle);
    begin_ps_ = *std::ranges::min_element(times_ps.begin(), middle + 1);
    const std::size_t buckets =
        std::min(std::bit_ceil(times_ps.size() / kOfBucket + 1), kMostBuckets);
    const auto half_ps = static_cast<std::uint64_t>(*middle - begin_ps_);
    shift_ = std::min(static_cast<int>(std::bit_width(half_ps / buckets * 2)), kMostShift);
    buckets_.resize(buckets, EventLists::kEmpty);
    next_ = 0;
    horizon_ps_ = begin_ps_;
    lists_.take(events, [this](const Event& event) { lists_.add(bucket_of(event), event); });
  }

  std::size_t size_ = 0;
  std::int64_t horizon_ps_ = kNever;
  std::int64_t begin_ps_ = 0;  ///< of the first bucket
  int shift_ = 0;              ///< a bucket spans 2^shift ps
  std::size_t next_ = 0;       ///< the buckets before it have been taken
  EventLists lists_;
  std::vector<EventLists::List> buckets_;
  EventLists::List later_ = EventLists::kEmpty;  ///< after the last bucket
  std::vector<Event> next_events_;
};

}  // namespace paceline
