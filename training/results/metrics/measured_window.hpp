// SPDX-License-Identifier: MIT
/// \file
/// The window of a measurement: the time from the last warm-up update of the model to its last
/// update. Spans are clipped to it, so that the parts of a step add up.
#pragma once
#include <algorithm>

#include "training/runtime/instant.hpp"

namespace paceline {

class MeasuredWindow {
 public:
  /// `open`: there is no warm-up, so the window begins with the run.
  explicit MeasuredWindow(bool open) : opened_(open) {}

  /// The window begins, or ends, at the update at `at`.
  void open(Instant at) {
    opened_ = true;
    begin_ = at;
  }
  void close(Instant at) {
    closed_ = true;
    end_ = at;
  }

  bool opened() const { return opened_; }
  bool closed() const { return closed_; }
  bool in_progress() const { return opened_ && !closed_; }
  Instant begin() const { return begin_; }  ///< once opened
  Instant end() const { return end_; }      ///< once closed

  /// Whether `at` lies in the window, both ends included.
  bool contains(Instant at) const { return opened_ && at >= begin_ && !(closed_ && at > end_); }
  /// Seconds of [begin, end) that lie in the window; 0 before it is opened.
  double clipped(Instant begin, Instant end) const {
    return to_seconds(clipped_ps(begin, end)).value();
  }
  /// The same in picoseconds.
  std::int64_t clipped_ps(Instant begin, Instant end) const {
    if (!opened_) return 0;
    const Instant from = std::max(begin, begin_);
    const Instant to = closed_ ? std::min(end, end_) : end;
    return to > from ? to.ps - from.ps : 0;
  }

 private:
  bool opened_ = false, closed_ = false;
  Instant begin_, end_;
};

}  // namespace paceline
