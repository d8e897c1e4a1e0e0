// SPDX-License-Identifier: MIT
#include "cli/interrupt.hpp"

#include <string_view>

#include <signal.h>
#include <unistd.h>

namespace paceline {
namespace {

// Calls only functions that are safe in a signal handler.
extern "C" void stop(int) {
  constexpr std::string_view kLine =
      "\npaceline: interrupted (finished points are kept; the same command continues)\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  ::_exit(130);
}

}  // namespace

void stop_cleanly_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = stop;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace paceline
