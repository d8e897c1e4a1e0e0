// SPDX-License-Identifier: MIT
#include "sim/network/flow_queue.hpp"

namespace paceline {

std::int64_t FlowQueue::due(std::int64_t now_ps) const {
  const std::int64_t wait_ps = flow_ps(head_.target - clock_, rate_);
  return wait_ps < kNever - at_ps_ ? std::max(at_ps_ + wait_ps, now_ps) : kNever;
}

void FlowQueue::push(double amount, std::uint64_t order, std::uint32_t slot, std::int64_t now_ps) {
  if (size_++ == 0) {
    clock_ = 0;
    at_ps_ = now_ps;
    others_.clear();  // those of abandoned flows
    dead_ = 0;
    head_ = {amount, order, slot};
    return;
  }
  Entry entry{clock(now_ps) + amount, order, slot};
  if (later(head_, entry)) std::swap(head_, entry);
  others_.push_back(entry);
  std::push_heap(others_.begin(), others_.end(), later);
}

double FlowQueue::remaining(std::uint64_t order, std::int64_t now_ps) const {
  if (empty()) return 0;
  double target = head_.target;
  for (const Entry& entry : others_) {
    if (entry.order == order) target = entry.target;
  }
  return std::max(0.0, target - clock(now_ps));
}

void FlowQueue::rebase() {
  ended_ = 0;
  head_.target -= clock_;
  for (Entry& entry : others_) entry.target -= clock_;
  clock_ = 0;
}

}  // namespace paceline
