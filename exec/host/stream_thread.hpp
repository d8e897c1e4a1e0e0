// SPDX-License-Identifier: MIT
/// \file
/// An in-order stream of a place, as a thread with a queue. Jobs run one after another; the thread
/// sleeps when there is none.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "exec/host/time_source.hpp"

namespace paceline {

class StreamThread {
 public:
  using Job = std::function<void()>;
  /// \param name what debuggers and profilers show (at most 15 letters)
  /// \param core of arithmetic: the one of this process's cores, from 0, that the thread stays on,
  ///             giving way to threads that only pass things on; both where the system allows
  StreamThread(TimeSource& time, const std::string& name, std::optional<int> core = {});
  /// Runs what is queued to its end and joins.
  ~StreamThread();
  StreamThread(const StreamThread&) = delete;
  StreamThread& operator=(const StreamThread&) = delete;

  void add(Job job);

 private:
  void work();

  TimeSource& time_;
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Job> jobs_;
  bool busy_ = false;  ///< has a job, or runs one
  bool ending_ = false;
  const bool gives_way_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace paceline
