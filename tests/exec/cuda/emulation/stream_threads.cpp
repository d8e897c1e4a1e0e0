// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/stream_threads.hpp"

#include <optional>
#include <utility>

namespace paceline::cuda::emulation {
namespace {

/// Idle threads that keep the stacks of a block's threads: up to 1,024 of two mappings each, of
/// which Linux gives a process 65,530 (vm.max_map_count).
constexpr std::size_t kKeepStacks = 12;

}  // namespace

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
  std::optional<BlockRunner> blocks(std::in_place);
  std::unique_lock lock(mutex_);  // counted as idle
  for (;;) {
    added_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    --idle_;
    lock.unlock();
    job(*blocks);
    lock.lock();
    if (idle_ >= kKeepStacks) blocks.emplace();
    ++idle_;
  }
}

}  // namespace paceline::cuda::emulation
