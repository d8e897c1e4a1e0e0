// SPDX-License-Identifier: MIT
/// \file
/// The clock of real threads: the wall clock, or a test's clock that jumps. Threads report each
/// hand-over of work, so that the test's clock detects when all threads wait.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "training/runtime/instant.hpp"

namespace paceline {

class TimeSource {
 public:
  virtual ~TimeSource() = default;
  virtual Instant now() const = 0;
  /// Sleeps until `until`, or until `interrupted()` holds, which is evaluated again after each
  /// `wake`.
  virtual void sleep(Instant until, const std::function<bool()>& interrupted) = 0;
  /// Keeps the thread's core busy until `until`, or until `interrupted()` holds. On a clock that
  /// only jumps it sleeps instead.
  virtual void stay_busy(Instant until, const std::function<bool()>& interrupted) {
    sleep(until, interrupted);
  }
  /// Works for `length` of the thread's own CPU time, or until `interrupted()` holds. On a clock
  /// that only jumps it sleeps instead.
  virtual void work(Seconds length, const std::function<bool()>& interrupted) {
    sleep(now() + length, interrupted);
  }
  /// Makes every sleeper evaluate `interrupted()` again.
  virtual void wake() = 0;
  /// True if time passes by itself. Otherwise a thread must be woken for new work.
  virtual bool is_wall() const { return false; }
  /// How long a thread that waits for another looks for work before it sleeps.
  virtual Seconds patience() const { return {}; }
  /// Work was handed to an idle thread; called before the thread can see the work.
  virtual void note_busy() {}
  /// A thread has finished its work and has handed over all work that follows from it.
  virtual void note_idle() {}
};

/// The wall clock: a steady clock that begins at 0.
class WallTime final : public TimeSource {
 public:
  explicit WallTime(Seconds patience = {});
  /// Sets the time of std::chrono::steady_clock that is 0 here. Call it before any thread sleeps.
  void begin_at(std::int64_t steady_ns) { start_ns_ = steady_ns; }
  Instant now() const override;
  bool is_wall() const override { return true; }
  Seconds patience() const override { return patience_; }
  void sleep(Instant until, const std::function<bool()>& interrupted) override;
  void stay_busy(Instant until, const std::function<bool()>& interrupted) override;
  void work(Seconds length, const std::function<bool()>& interrupted) override;
  void wake() override;

 private:
  /// Each sleeper has its own condition variable, so that only interrupted ones wake up.
  struct Sleeper {
    const std::function<bool()>* interrupted = nullptr;
    std::condition_variable changed;
  };

  const Seconds patience_;
  std::int64_t start_ns_;
  std::mutex mutex_;
  std::vector<Sleeper*> sleepers_;
};

/// A test's clock: when all threads wait, it jumps to the earliest wake-up time and releases that
/// sleeper. Arithmetic and copies take no time on it.
class JumpingTime final : public TimeSource {
 public:
  Instant now() const override;
  void sleep(Instant until, const std::function<bool()>& interrupted) override;
  void wake() override;
  void note_busy() override;
  void note_idle() override;

 private:
  struct Sleeper {
    Instant until;
    std::uint64_t order = 0;
    bool released = false;
    const std::function<bool()>* interrupted = nullptr;
  };
  void jump_if_idle();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Instant now_;
  std::int64_t busy_ = 0;  ///< threads that have work and do not sleep
  std::uint64_t sleeps_ = 0;
  std::vector<Sleeper*> sleepers_;
};

}  // namespace paceline
