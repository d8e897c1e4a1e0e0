// SPDX-License-Identifier: MIT
/// \file
/// A wait that looks again for a while before it sleeps. To wake a sleeping thread takes some 2 us
/// on a core that is awake and 20 us and more on one that sleeps (a virtual machine's), which is
/// more than many a copy takes. Between two looks other threads may run on the core.
#pragma once
#include <chrono>
#include <mutex>

#include <sched.h>

#include "experiments/language/units.hpp"

namespace paceline {

/// Returns when `ready()` holds or after `patience`. `lock` is held at the start, at the end, and
/// while `ready` is called.
template <class Ready>
void look_again(std::unique_lock<std::mutex>& lock, Seconds patience, const Ready& ready) {
  if (patience <= Seconds{} || ready()) return;
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(patience.value());
  do {
    lock.unlock();
    sched_yield();
    lock.lock();
  } while (!ready() && Clock::now() < until);
}

}  // namespace paceline
