// SPDX-License-Identifier: MIT
/// \file
/// The number of mini-batches of all workers in a window. If each update lets all workers begin
/// together, the mini-batches that begin in the window are counted. If workers begin at their own
/// pace, each mini-batch counts by its share in the window: updates then come in bursts, and a
/// window that begins or ends within a burst has the time of fewer or more mini-batches than its
/// updates have gradients. Independent workers go on after the window: the share of a mini-batch
/// that the window's end cuts is known once the mini-batch has ended.
#pragma once
#include <cstdint>
#include <vector>

#include "training/results/metrics/measured_window.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class MiniBatchCount {
 public:
  enum class Pace : std::uint8_t {
    common,      ///< mini-batches that begin in the window count
    own,         ///< they count by their shares; the run ends with the window
    independent  ///< they count by their shares, and `ended` reports each
  };
  MiniBatchCount(int workers, Pace pace);

  /// `worker` begins a mini-batch, which ends its previous one; so do as many as it stands for.
  void begun(RoleId worker, Instant at, const MeasuredWindow& window, int workers = 1);
  /// An independent worker ends a mini-batch, which began when its last one ended.
  void ended(RoleId worker, Instant at, const MeasuredWindow& window);
  /// The beginning of the worker's current mini-batch; -1 before its first.
  Instant last_begin(RoleId worker) const { return began_[static_cast<std::size_t>(worker)]; }

  /// Corrects the count after the window has opened, for the mini-batches reported before that.
  void window_opened(const MeasuredWindow& window);
  /// Corrects the count before the window closes at `at`, for the mini-batches reported that end
  /// after it.
  void window_closes(Instant at, const MeasuredWindow& window);
  /// Drops the records that neither border of the window can need: mini-batches that ended before
  /// the model's last update.
  void forget_before(Instant last_update);

  /// Mini-batches in the window, once it has closed.
  double in(const MeasuredWindow& window) const;

 private:
  /// A finished mini-batch of a worker, up to the beginning of its next one.
  struct MiniBatch {
    RoleId worker = 0;
    Instant begin, end;
  };
  /// The finished mini-batches of a worker, at its own pace.
  struct Finished {
    double shares = 0;   ///< sum of the shares in the window
    double seconds = 0;  ///< sum of the whole times of those that have a share
    double count = 0;    ///< of those that have a share
    double last = -1;    ///< seconds of the last one, in the window or not; -1: none yet
  };
  static double share_in(const MeasuredWindow& window, const MiniBatch& one);
  void finish(const MiniBatch& one, const MeasuredWindow& window);
  double share_of_current(std::size_t worker, const MeasuredWindow& window) const;

  Pace pace_;
  std::int64_t begun_in_window_ = 0;
  std::vector<Instant> began_;          ///< by worker: its current mini-batch; -1: none yet
  std::vector<Instant> ended_;          ///< by independent worker: its last mini-batch
  std::vector<Finished> finished_;      ///< by worker
  std::vector<MiniBatch> near_border_;  ///< those that a border of the window may yet cut
};

}  // namespace paceline
