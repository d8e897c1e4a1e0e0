// SPDX-License-Identifier: MIT
#include "training/results/metrics/mini_batch_count.hpp"

#include <algorithm>

namespace paceline {

MiniBatchCount::MiniBatchCount(int workers, Pace pace)
    : pace_(pace),
      began_(static_cast<std::size_t>(workers), Instant{-1}),
      ended_(pace == Pace::independent ? began_.size() : 0),
      finished_(static_cast<std::size_t>(workers)) {}

/// A mini-batch that begins at an update is reported after it.
void MiniBatchCount::begun(RoleId worker, Instant at, const MeasuredWindow& window, int workers) {
  if (window.contains(at) && !(window.closed() && at == window.end())) begun_in_window_ += workers;
  Instant& current = began_[static_cast<std::size_t>(worker)];
  // The mini-batch that the end of the window cuts stays the current one: whether the worker begins
  // another depends on when it receives the order to stop.
  if (pace_ == Pace::own && window.closed() && at >= window.end()) return;
  if (pace_ == Pace::own && current.ps >= 0) finish({worker, current, at}, window);
  current = at;
}

void MiniBatchCount::ended(RoleId worker, Instant at, const MeasuredWindow& window) {
  Instant& last = ended_[static_cast<std::size_t>(worker)];
  finish({worker, last, at}, window);
  last = at;
}

double MiniBatchCount::share_in(const MeasuredWindow& window, const MiniBatch& one) {
  if (one.end > one.begin) {
    return window.clipped(one.begin, one.end) / (one.end - one.begin).value();
  }
  // a mini-batch that takes no time belongs to the time before it
  return window.contains(one.end) && one.end > window.begin() ? 1 : 0;
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
  for (const MiniBatch& one : near_border_) {
    finished_[static_cast<std::size_t>(one.worker)].shares += share_in(window, one);
  }
}

void MiniBatchCount::window_closes(Instant at, const MeasuredWindow& window) {
  MeasuredWindow closed = window;
  closed.close(at);
  for (const MiniBatch& one : near_border_) {
    const double share = share_in(window, one);
    if (one.end < at || share == 0) continue;
    const auto worker = static_cast<std::size_t>(one.worker);
    Finished& all = finished_[worker];
    all.shares -= share;
    if (pace_ == Pace::independent) {
      all.shares += share_in(closed, one);
      continue;
    }
    // A mini-batch that the end cuts counts as its worker's current one, like those that have not
    // ended yet.
    all.seconds -= (one.end - one.begin).value();
    --all.count;
    began_[worker] = std::min(began_[worker], one.begin);
  }
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
  if (pace_ == Pace::common) return static_cast<double>(begun_in_window_);
  double sum = 0;
  for (std::size_t worker = 0; worker < finished_.size(); ++worker) {
    sum += finished_[worker].shares;
    if (pace_ == Pace::own) sum += share_of_current(worker, window);
  }
  return sum;
}

}  // namespace paceline
