// SPDX-License-Identifier: MIT
#include "exec/calibrate/busy_time.hpp"

#include <time.h>

namespace paceline {
namespace {

Seconds reading_of(clockid_t clock) {
  timespec cpu_time{};
  clock_gettime(clock, &cpu_time);
  return Seconds{static_cast<double>(cpu_time.tv_sec) +
                 1e-9 * static_cast<double>(cpu_time.tv_nsec)};
}

}  // namespace

Seconds busy_time() {
  return reading_of(CLOCK_PROCESS_CPUTIME_ID);
}

Seconds busy_time_of_thread() {
  return reading_of(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace paceline
