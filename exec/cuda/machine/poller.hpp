// SPDX-License-Identifier: MIT
/// \file
/// A thread that polls events, so that no other thread blocks on a device. It reports each event
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
  /// Called on the poller's thread when the next event of a lane has been passed, or when its query
  /// failed, after which there are no more calls.
  using Passed = std::function<void(int lane, const std::exception_ptr& error)>;

  /// `device`: one that the lanes use; without one, a thread makes a context on GPU 0.
  Poller(int lanes, int device, Passed passed);
  /// Stops polling.
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Watches `event`, which was recorded after the lane's earlier events. It must live until it is
  /// reported.
  void watch(int lane, cudaEvent_t event);

 private:
  void work();
  bool look();

  const int device_;
  Passed passed_;
  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<std::deque<cudaEvent_t>> watched_;  ///< by lane
  std::size_t count_ = 0;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace paceline::cuda
