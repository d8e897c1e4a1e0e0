// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/poller.hpp"

#include <chrono>

#include <pthread.h>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// From one round of queries to the next: each query takes a lock of the driver, which the thread
/// that launches needs too.
constexpr std::chrono::microseconds kPause{4};

}  // namespace

Poller::Poller(int lanes, int device, Passed passed)
    : device_(device),
      passed_(std::move(passed)),
      watched_(static_cast<std::size_t>(lanes)),
      thread_([this] { work(); }) {
  pthread_setname_np(thread_.native_handle(), "cuda.poller");
}

Poller::~Poller() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  added_.notify_one();
  thread_.join();
}

void Poller::watch(int lane, cudaEvent_t event) {
  {
    const std::lock_guard lock(mutex_);
    watched_[static_cast<std::size_t>(lane)].push_back(event);
    ++count_;
  }
  added_.notify_one();
}

void Poller::work() {
  cudaSetDevice(device_);  // an error shows again when an event is queried
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [this] { return ending_ || count_ > 0; });
      if (ending_) return;
    }
    const auto next = std::chrono::steady_clock::now() + kPause;
    if (!look()) return;
    while (std::chrono::steady_clock::now() < next) std::this_thread::yield();
  }
}

/// Queries the next event of every lane; false after an error or at the end.
bool Poller::look() {
  for (std::size_t lane = 0; lane < watched_.size(); ++lane) {
    for (;;) {
      cudaEvent_t next = nullptr;
      {
        const std::lock_guard lock(mutex_);
        if (ending_) return false;
        if (watched_[lane].empty()) break;
        next = watched_[lane].front();
      }
      const cudaError_t status = cudaEventQuery(next);
      if (status == cudaErrorNotReady) break;
      std::exception_ptr error;
      try {
        check(status, "running on the GPU");
      } catch (...) {
        error = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        watched_[lane].pop_front();
        --count_;
      }
      passed_(static_cast<int>(lane), error);
      if (error) return false;
    }
  }
  return true;
}

}  // namespace paceline::cuda
