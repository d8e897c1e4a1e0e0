// SPDX-License-Identifier: MIT
/// \file
/// The flows of one class as a processor-sharing queue. All flows have the same rate, so one
/// service clock, which counts the service each flow has received, serves them all: a flow of
/// amount S that starts when the clock stands at V ends when it reaches V + S, whatever the rate
/// does in between. Flows wait in order of this target, ties in order of start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/network/flow_time.hpp"

namespace paceline {

class FlowQueue final {
 public:
  struct Entry {
    double target = 0;  // service clock at which the flow ends
    std::uint64_t order = 0;
    std::uint32_t slot = 0;
  };

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// The flow that ends first. Requires a non-empty queue.
  const Entry& head() const { return head_; }

  /// The service clock at `now_ps`, which must not precede the last time it was set.
  double clock(std::int64_t now_ps) const {
    return now_ps == at_ps_
               ? clock_
               : clock_ + rate_ * (static_cast<double>(now_ps - at_ps_) / kPsPerSecond);
  }
  /// Service per second of each flow.
  double rate() const { return rate_; }

  void set_rate(double rate, std::int64_t now_ps) {
    advance(now_ps);
    rate_ = rate;
  }

  /// The time at which the head ends at the present rate, rounded (flow_time.hpp) but not before
  /// `now_ps`; `kNever` if it is beyond the range of the clock.
  std::int64_t due(std::int64_t now_ps) const;

  /// Adds a flow with `amount` left to transfer.
  void push(double amount, std::uint64_t order, std::uint32_t slot, std::int64_t now_ps);

  /// Sets the service clock to what each flow has received by `now_ps`, at which the head ends. Not
  /// to the head's target: that would hand the rounding of its end to the other flows of this
  /// queue, and which flows share one depends on the routes that are known by then.
  void advance(std::int64_t now_ps) {
    clock_ = clock(now_ps);
    at_ps_ = now_ps;
  }
  /// Whether the head has received its service, up to less than the clock's resolution: flows that
  /// should end together do so whatever the rounding of their targets.
  bool head_reached() const {
    if (size_ == 0) return false;
    return head_.target <= clock_ ||
           without_tie(flow_length_ps(head_.target - clock_, rate_)) < 0.5;
  }

  /// The amount that the flow with start number `order` has left at `now_ps`. Searches the queue.
  double remaining(std::uint64_t order, std::int64_t now_ps) const;

  /// Removes the head. `alive(entry)` must be false for the flows removed with `abandon`.
  template <class Alive>
  void pop_head(const Alive& alive) {
    --size_;
    ++ended_;
    while (!others_.empty()) {
      head_ = others_.front();
      std::pop_heap(others_.begin(), others_.end(), later);
      others_.pop_back();
      if (dead_ == 0 || alive(head_)) return;
      --dead_;
    }
  }

  /// Removes a flow other than the head. The caller has marked it so that `alive` is false for it;
  /// its entry stays until it comes to the front, because a search would cost more.
  template <class Alive>
  void abandon(const Alive& alive) {
    --size_;
    ++dead_;
    if (dead_ <= 16 + size_) return;
    std::erase_if(others_, [&](const Entry& entry) { return !alive(entry); });
    std::make_heap(others_.begin(), others_.end(), later);
    dead_ = 0;
  }

  /// Removes a flow that continues in another queue, and returns the amount it has left; O(flows).
  template <class Alive>
  double extract(std::uint64_t order, std::int64_t now_ps, const Alive& alive) {
    const double amount = remaining(order, now_ps);
    if (head_.order == order) {
      pop_head(alive);
      return amount;
    }
    --size_;
    std::erase_if(others_, [order](const Entry& entry) { return entry.order == order; });
    std::make_heap(others_.begin(), others_.end(), later);
    return amount;
  }

  /// Moves the origin of the service clock to its present value from time to time: a double that
  /// only grows would lose the low bits of its targets in a long busy period. Call it right after
  /// `advance` and the removals.
  void rebase_sometimes() {
    if (ended_ > kEndsBetweenRebases + others_.size()) rebase();
  }

  /// Empties the queue and calls visit(entry) for each flow alive, in no particular order.
  template <class Alive, class Visit>
  void drain(const Alive& alive, const Visit& visit) {
    if (size_ > 0) visit(head_);
    for (const Entry& entry : others_) {
      if (alive(entry)) visit(entry);
    }
    others_.clear();
    dead_ = size_ = 0;
  }

 private:
  static constexpr double kPsPerSecond = 1e12;
  static constexpr std::size_t kEndsBetweenRebases =
      1024;  // so that moving n targets costs less than a move per end

  void rebase();
  static bool later(const Entry& a, const Entry& b) {
    return a.target > b.target || (a.target == b.target && a.order > b.order);
  }

  Entry head_;  // stored apart from the heap, so that a queue of one flow never touches the heap
  double clock_ = 0;
  double rate_ = 0;
  std::int64_t at_ps_ = 0;  // time of clock_
  std::vector<Entry> others_;
  std::size_t size_ = 0;
  std::size_t dead_ = 0;
  std::size_t ended_ = 0;  // since the last rebase
};

}  // namespace paceline
