// SPDX-License-Identifier: MIT
/// \file
/// The threads that emulated streams run on, and the fibers of their blocks, used again: to start
/// them takes longer than most kernels run, and a stream may be made while a clock runs.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/exec/cuda/emulation/block.hpp"

namespace paceline::cuda::emulation {

class StreamThreads {
 public:
  using Job = std::function<void(BlockRunner&)>;

  StreamThreads() = default;
  /// Requires that all jobs have ended.
  ~StreamThreads();
  StreamThreads(const StreamThreads&) = delete;
  StreamThreads& operator=(const StreamThreads&) = delete;

  /// Runs `job` at once on a thread that runs nothing else.
  void run(Job job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Job> jobs_;  ///< at most as many as idle threads
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace paceline::cuda::emulation
