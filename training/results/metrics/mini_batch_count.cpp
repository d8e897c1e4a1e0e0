// SPDX-License-Identifier: MIT
#include "training/results/metrics/mini_batch_count.hpp"

#include <algorithm>

namespace paceline {

MiniBatchCount::MiniBatchCount(int workers, bool own_pace)
    : own_pace_(own_pace),
      began_(static_cast<std::size_t>(workers), Instant{-1}),
      finished_(static_cast<std::size_t>(workers)) {}

void MiniBatchCount::begun(RoleId worker, Instant at, const MeasuredWindow& window, int workers) {
  if (window.contains(at) && !(window.closed() && at == window.end())) begun_in_window_ += workers;
  begun_at_last_ = at == last_begin_ ? begun_at_last_ + workers : workers;
  last_begin_ = at;
  Instant& current = began_[static_cast<std::size_t>(worker)];
  // The mini-batch that the end of the window cuts stays the current one: whether the worker begins
  // another depends on when it receives the order to stop.
  if (own_pace_ && window.closed() && at >= window.end()) return;
  if (own_pace_ && current.ps >= 0) finish({worker, current, at}, window);
  current = at;
}

double MiniBatchCount::share_in(const MeasuredWindow& window, const MiniBatch& one) {
  if (one.end > one.begin) {
    return window.clipped(one.begin, one.end) / (one.end - one.begin).value();
  }
  return window.contains(one.end) ? 1 : 0;
}

void MiniBatchCount::finish(const MiniBatch& one, const MeasuredWindow& window) {
  Finished& all = finished_[static_cast<std::size_t>(one.worker)];
  all.last = (one.end - one.begin).value();
  near_border_.push_back(one);
  const double share = share_in(window, one);
  if (share == 0) return;
  all.shares += share;
  all.seconds += all.last;
  ++all.count;
}

void MiniBatchCount::window_opened(const MeasuredWindow& window) {
  // Replicas that applied the update before the last one did have begun their next mini-batch
  // already, at this instant.
  if (last_begin_ == window.begin()) begun_in_window_ += begun_at_last_;
  for (const MiniBatch& one : near_border_) {
    finished_[static_cast<std::size_t>(one.worker)].shares += share_in(window, one);
  }
}

void MiniBatchCount::window_closes(Instant at, const MeasuredWindow& window) {
  // A mini-batch that the end cuts counts as its worker's current one, like those that have not
  // ended yet.
  for (const MiniBatch& one : near_border_) {
    const double share = share_in(window, one);
    if (one.end < at || share == 0) continue;
    const auto worker = static_cast<std::size_t>(one.worker);
    Finished& all = finished_[worker];
    all.shares -= share;
    all.seconds -= (one.end - one.begin).value();
    --all.count;
    began_[worker] = std::min(began_[worker], one.begin);
  }
  if (last_begin_ == at && at > window.begin()) begun_in_window_ -= begun_at_last_;
}

void MiniBatchCount::forget_before(Instant last_update) {
  std::erase_if(near_border_, [&](const MiniBatch& one) { return one.end < last_update; });
}

/// The share in the window of a worker's current mini-batch. The run does not wait for its end, so
/// its length is taken to be the mean of the worker's others.
double MiniBatchCount::share_of_current(std::size_t worker, const MeasuredWindow& window) const {
  const Instant begin = began_[worker];
  if (begin.ps < 0 || begin >= window.end()) return 0;
  const Finished& all = finished_[worker];
  double length = all.count > 0 ? all.seconds / all.count : all.last;
  if (!(length > 0)) length = (window.end() - begin).value();
  const auto done = [&](Instant at) {
    return at > begin ? std::min(1.0, (at - begin).value() / length) : 0;
  };
  return done(window.end()) - done(window.begin());
}

double MiniBatchCount::in(const MeasuredWindow& window) const {
  if (!own_pace_) return static_cast<double>(begun_in_window_);
  double sum = 0;
  for (std::size_t worker = 0; worker < finished_.size(); ++worker) {
    sum += finished_[worker].shares + share_of_current(worker, window);
  }
  return sum;
}

}  // namespace paceline
