// SPDX-License-Identifier: MIT
#include "cli/interrupt.hpp"

#include <atomic>
#include <cerrno>
#include <exception>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace paceline {
namespace {

constexpr int kExitCode = 130;
constexpr char kSignal = 's';
constexpr char kEnd = 'e';

/// The state that a signal handler can reach: initialised at compile time, and without locks.
struct Reach {
  std::atomic<int> pipe{-1};  ///< the end to write of the salvage's pipe; -1: none
  std::atomic<bool> interrupted{false};
};
static_assert(std::atomic<int>::is_always_lock_free);

Reach& reach() {
  static constinit Reach one;
  return one;
}

// Calls only functions that are safe in a signal handler.
extern "C" void stop(int) {
  const int error = errno;
  constexpr std::string_view kLine =
      "\npaceline: interrupted (finished points are kept; the same command continues)\n";
  [[maybe_unused]] ssize_t written = 0;
  const bool first = !reach().interrupted.exchange(true);
  if (first) written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  const int pipe = reach().pipe.exchange(-1);
  if (pipe < 0 || ::write(pipe, &kSignal, 1) != 1) ::_exit(kExitCode);
  errno = error;
}

}  // namespace

void stop_cleanly_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = stop;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return reach().interrupted;
}

Salvage::Salvage(std::function<void()> work) : work_(std::move(work)) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // a signal then ends the program at once
  read_ = ends[0];
  write_ = ends[1];
  thread_ = std::thread([this] { wait_for_signal(); });
  reach().pipe = write_;
}

Salvage::~Salvage() {
  if (read_ < 0) return;
  if (reach().pipe.exchange(-1) == write_) {  // else the handler has it, and writes there
    [[maybe_unused]] const ssize_t written = ::write(write_, &kEnd, 1);
  }
  thread_.join();
  ::close(read_);
  ::close(write_);
}

void Salvage::wait_for_signal() {
  char what = kEnd;
  while (::read(read_, &what, 1) < 0 && errno == EINTR) {
  }
  if (what != kSignal) return;
  try {
    work_();
  } catch (const std::exception& error) {
    const std::string_view why = error.what();
    [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, why.data(), why.size());
    written = ::write(STDERR_FILENO, "\n", 1);
  }
  ::_exit(kExitCode);
}

}  // namespace paceline
