// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/stream_threads.hpp"

#include <utility>

namespace paceline::cuda::emulation {

StreamThreads::~StreamThreads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  added_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void StreamThreads::run(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_) {
      ++idle_;
      threads_.emplace_back([this] { work(); });
    }
  }
  added_.notify_one();
}

void StreamThreads::work() {
  BlockRunner blocks;
  std::unique_lock lock(mutex_);  // counted as idle
  for (;;) {
    added_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    --idle_;
    lock.unlock();
    job(blocks);
    lock.lock();
    ++idle_;
  }
}

}  // namespace paceline::cuda::emulation
