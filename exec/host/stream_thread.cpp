// SPDX-License-Identifier: MIT
#include "exec/host/stream_thread.hpp"

#include <pthread.h>
#include <sys/prctl.h>

namespace paceline {

StreamThread::StreamThread(TimeSource& time, const std::string& name)
    : time_(time), thread_([this] { work(); }) {
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

StreamThread::~StreamThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  added_.notify_one();
  thread_.join();
}

void StreamThread::add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (!busy_) {  // jobs behind one that sleeps wait with it
      busy_ = true;
      time_.handed_over();
    }
  }
  added_.notify_one();
}

void StreamThread::work() {
  // by default the kernel may be 50 us late with a timed wait, to save power
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // ns
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
    if (jobs_.empty()) {
      busy_ = false;
      time_.dealt_with();
    }
  }
}

}  // namespace paceline
