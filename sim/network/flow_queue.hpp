// SPDX-License-Identifier: MIT
/// \file
/// The flows of one class: a processor-sharing queue. All get the same rate, so one clock that
/// counts the service each has had so far serves them all: a flow of amount S that starts when this
/// service clock stands at V ends when it reaches V + S, whatever the rate does in between. Flows
/// wait in order of that target, ties in order of start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

  /// The flow that ends first; not when empty.
  const Entry& head() const { return head_; }

  /// The service clock at `now_ps`, which is not before it was last set.
  double clock(std::int64_t now_ps) const {
    return now_ps == at_ps_
               ? clock_
               : clock_ + rate_ * (static_cast<double>(now_ps - at_ps_) / kPsPerSecond);
  }
  /// Service per second of each flow.
  double rate() const { return rate_; }

  void set_rate(double rate, std::int64_t now_ps) {
    clock_ = clock(now_ps);
    at_ps_ = now_ps;
    rate_ = rate;
  }

  /// When the head ends at the present rate, rounded half to even but not before `now_ps`; `never`
  /// when that is beyond the range of the clock.
  std::int64_t due(std::int64_t now_ps, std::int64_t never) const;

  /// Adds a flow that has `amount` to go.
  void push(double amount, std::uint64_t order, std::uint32_t slot, std::int64_t now_ps);

  /// Sets the service clock to exactly the head's target, so that rounding the end to the clock's
  /// step leaves no trace.
  void reach_head(std::int64_t now_ps) {
    clock_ = head_.target;
    at_ps_ = now_ps;
  }
  /// The head has had its service, or all but what takes less than the clock's step: flows that end
  /// together by rights should do so whatever the rounding of their targets.
  bool head_reached() const {
    if (size_ == 0) return false;
    return head_.target <= clock_ || (head_.target - clock_) * kPsPerSecond <= 0.5 * rate_;
  }

  /// What the flow that started as number `order` has still to go at `now_ps`; looks through the
  /// queue for it.
  double remaining(std::uint64_t order, std::int64_t now_ps) const;

  /// Removes the head. `alive(entry)` is false for the flows that were given to `abandon`.
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

  /// Removes a flow other than the head, which the caller has marked so that `alive` tells it from
  /// the others: looking for it would cost more than meeting it later.
  template <class Alive>
  void abandon(const Alive& alive) {
    --size_;
    ++dead_;
    if (dead_ <= 16 + size_) return;
    std::erase_if(others_, [&](const Entry& entry) { return !alive(entry); });
    std::make_heap(others_.begin(), others_.end(), later);
    dead_ = 0;
  }

  /// Removes a flow that goes on elsewhere, and returns what it has still to go; O(flows).
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

  /// Moves the origin of the service clock to where it stands, once in a while: a double that only
  /// grows would lose the small end of its targets when the queue is busy for long. Call it right
  /// after `reach_head` and the removals.
  void rebase_sometimes() {
    if (ended_ > kEndsBetweenRebases + others_.size()) rebase();
  }

  /// Empties the queue, calling visit(entry) on each flow alive, in no order.
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

  Entry head_;  // apart, so that a queue of one flow never touches the heap
  double clock_ = 0;
  double rate_ = 0;
  std::int64_t at_ps_ = 0;  // when the clock stood at clock_
  std::vector<Entry> others_;
  std::size_t size_ = 0;
  std::size_t dead_ = 0;
  std::size_t ended_ = 0;  // since the last rebase
};

}  // namespace paceline
