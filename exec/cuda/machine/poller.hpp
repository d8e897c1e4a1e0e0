// SPDX-License-Identifier: MIT
/// \file
/// The thread that watches events, so that nobody else waits for a device: it tells of each one
/// that a device has passed, in the order of its lane.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

class Poller {
 public:
  /// Called on the poller's thread: the next event of a lane has been passed, or watching it gave
  /// an error, after which nothing more is told.
  using Passed = std::function<void(int lane, const std::exception_ptr& error)>;

  Poller(int lanes, Passed passed);
  /// Stops watching.
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Watches `event`, recorded in the lane after those watched before; it must live until it is
  /// told of.
  void watch(int lane, cudaEvent_t event);

 private:
  void work();
  bool look();

  Passed passed_;
  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<std::deque<cudaEvent_t>> watched_;  ///< by lane
  std::size_t count_ = 0;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace paceline::cuda
