// SPDX-License-Identifier: MIT
/// \file
/// An in-order stream of a role, implemented as a thread with a queue. Jobs run one after another;
/// the thread sleeps while the queue is empty.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exec/machine/time_source.hpp"

namespace paceline {

/// Where a thread runs, as far as the system allows.
struct ThreadPlace {
  std::vector<int> cores;  ///< the cores of this process, from 0, that it stays on; empty: any
  bool gives_way = false;  ///< to threads that only pass things on
};

class StreamThread {
 public:
  using Job = std::function<void()>;
  /// \param name shown by debuggers and profilers (at most 15 letters)
  StreamThread(TimeSource& time, const std::string& name, const ThreadPlace& place = {});
  /// Runs the queued jobs to the end, then joins the thread.
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
  bool busy_ = false;  ///< a job is queued or running
  bool ending_ = false;
  const bool gives_way_;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace paceline
