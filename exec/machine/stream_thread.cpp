// SPDX-License-Identifier: MIT
#include "exec/host/stream_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace paceline {

namespace {

/// Keeps a thread on the `core`-th of the cores that this process may use.
void pin(pthread_t thread, int core) {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &usable) || core-- > 0) continue;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    pthread_setaffinity_np(thread, sizeof only, &only);  // where it is refused, the thread roams
    return;
  }
}

// A thread that was asleep takes the core at once from one of this niceness, however much it has
// run lately: the weights of the two are 1024 and 110 (sched(7)).
constexpr int kNiceness = 10;

}  // namespace

StreamThread::StreamThread(TimeSource& time, const std::string& name, std::optional<int> core)
    : time_(time), gives_way_(core.has_value()), thread_([this] { work(); }) {
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
  if (core) pin(thread_.native_handle(), *core);
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
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);             // ns
  if (gives_way_) setpriority(PRIO_PROCESS, 0, kNiceness);  // on Linux, of this thread alone
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
