// SPDX-License-Identifier: MIT
#include "exec/machine/stream_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "exec/machine/patient_wait.hpp"
#include "exec/machine/usable_cores.hpp"

namespace paceline {

namespace {

/// Keeps a thread on some of the cores that this process may use.
void pin(pthread_t thread, const std::vector<int>& cores) {
  const std::vector<int> usable = usable_cpus();
  if (usable.empty()) return;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (const int core : cores) {
    if (static_cast<std::size_t>(core) < usable.size()) {
      CPU_SET(usable[static_cast<std::size_t>(core)], &chosen);
    }
  }
  pthread_setaffinity_np(thread, sizeof chosen, &chosen);  // on failure the thread is not pinned
}

// A thread that wakes up preempts a thread of this niceness at once, whatever its recent run time:
// their weights are 1024 and 110 (sched(7)).
constexpr int kNiceness = 10;

}  // namespace

StreamThread::StreamThread(TimeSource& time, const std::string& name, const ThreadPlace& place)
    : time_(time), gives_way_(place.gives_way), thread_([this] { work(); }) {
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
  if (!place.cores.empty()) pin(thread_.native_handle(), place.cores);
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
    if (!busy_) {  // jobs queued behind a sleeping job wait with it
      busy_ = true;
      time_.note_busy();
    }
  }
  added_.notify_one();
}

void StreamThread::work() {
  // by default the kernel may end a timed wait 50 us late to save power
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);             // ns
  if (gives_way_) setpriority(PRIO_PROCESS, 0, kNiceness);  // on Linux, applies to this thread only
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto any = [this] { return ending_ || !jobs_.empty(); };
    look_again(lock, time_.patience(), any);
    added_.wait(lock, any);
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
    if (jobs_.empty()) {
      busy_ = false;
      time_.note_idle();
    }
  }
}

}  // namespace paceline
