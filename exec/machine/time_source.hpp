// SPDX-License-Identifier: MIT
/// \file
/// Where real threads take the time from: the wall, or a test's clock that jumps. Whoever hands a
/// thread something to do says so, so that the test's clock knows when all threads wait.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "training/roles/instant.hpp"

namespace paceline {

class TimeSource {
 public:
  virtual ~TimeSource() = default;
  virtual Instant now() const = 0;
  /// Sleeps until `until`, or until `interrupted()` holds; that is asked again after each `wake`.
  virtual void sleep(Instant until, const std::function<bool()>& interrupted) = 0;
  /// Keeps the thread's core busy until `until`, or until `interrupted()` holds. Where time does
  /// not pass by itself there is no core to keep busy.
  virtual void stay_busy(Instant until, const std::function<bool()>& interrupted) {
    sleep(until, interrupted);
  }
  /// Lets every sleeper ask again whether it was interrupted.
  virtual void wake() = 0;
  /// Whether time passes by itself. Else a thread that has something to do must be woken for it.
  virtual bool is_wall() const { return false; }
  /// A thread that was idle has been given something to do; called before it can see it.
  virtual void handed_over() {}
  /// A thread has done all it was given, and has handed on what follows from it.
  virtual void dealt_with() {}
};

/// The wall: a steady clock that begins at 0.
class WallTime final : public TimeSource {
 public:
  WallTime();
  /// The clock's 0 is a moment of std::chrono::steady_clock. Before anyone sleeps.
  void begin_at(std::int64_t steady_ns) { start_ns_ = steady_ns; }
  Instant now() const override;
  bool is_wall() const override { return true; }
  void sleep(Instant until, const std::function<bool()>& interrupted) override;
  void stay_busy(Instant until, const std::function<bool()>& interrupted) override;
  void wake() override;

 private:
  /// Each has a condition of its own, so that only who was interrupted wakes up.
  struct Sleeper {
    const std::function<bool()>* interrupted = nullptr;
    std::condition_variable changed;
  };

  std::int64_t start_ns_;
  std::mutex mutex_;
  std::vector<Sleeper*> sleepers_;
};

/// A test's clock: when every thread waits, it jumps to the earliest sleeper's time and releases
/// that one. Arithmetic and copies take no time on it.
class JumpingTime final : public TimeSource {
 public:
  Instant now() const override;
  void sleep(Instant until, const std::function<bool()>& interrupted) override;
  void wake() override;
  void handed_over() override;
  void dealt_with() override;

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
  std::int64_t busy_ = 0;  ///< threads that have something to do and do not sleep
  std::uint64_t sleeps_ = 0;
  std::vector<Sleeper*> sleepers_;
};

}  // namespace paceline
