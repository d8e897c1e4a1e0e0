// SPDX-License-Identifier: MIT
#include "exec/machine/time_source.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>

#include <time.h>

namespace paceline {
namespace {

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// CPU time of the calling thread.
std::int64_t thread_cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

constexpr int kBlock = 8;

/// A cosine transform of the rows of a block of 8 x 8 coefficients, of which decoders of images do
/// many, and back.
void decode_block(float* block) {
  static const auto kCosines = [] {
    std::array<float, kBlock * kBlock> table{};
    for (int u = 0; u < kBlock; ++u) {
      const double norm = u == 0 ? std::sqrt(1.0 / kBlock) : std::sqrt(2.0 / kBlock);
      for (int x = 0; x < kBlock; ++x) {
        table[static_cast<std::size_t>(u * kBlock + x)] =
            static_cast<float>(norm * std::cos((2 * x + 1) * u * std::numbers::pi / (2 * kBlock)));
      }
    }
    return table;
  }();
  for (const bool inverse : {true, false}) {
    for (int row = 0; row < kBlock; ++row) {
      float out[kBlock] = {};
      for (int i = 0; i < kBlock; ++i) {
        for (int j = 0; j < kBlock; ++j) {
          const int at = inverse ? j * kBlock + i : i * kBlock + j;
          out[i] += kCosines[static_cast<std::size_t>(at)] * block[row * kBlock + j];
        }
      }
      std::copy_n(out, kBlock, block + row * kBlock);
    }
  }
}

}  // namespace

WallTime::WallTime(Seconds patience) : patience_(patience), start_ns_(steady_ns()) {}

Instant WallTime::now() const {
  return {(steady_ns() - start_ns_) * 1000};
}

void WallTime::sleep(Instant until, const std::function<bool()>& interrupted) {
  const std::chrono::steady_clock::time_point deadline{
      std::chrono::nanoseconds(start_ns_ + until.ps / 1000)};
  std::unique_lock lock(mutex_);
  Sleeper me;
  me.interrupted = &interrupted;
  sleepers_.push_back(&me);
  me.changed.wait_until(lock, deadline, interrupted);
  std::erase(sleepers_, &me);
}

void WallTime::stay_busy(Instant until, const std::function<bool()>& interrupted) {
  while (now() < until && !interrupted()) {
  }
}

void WallTime::work(Seconds length, const std::function<bool()>& interrupted) {
  const std::int64_t end_ns = thread_cpu_ns() + to_ps(length) / 1000;
  float block[kBlock * kBlock];
  for (int i = 0; i < kBlock * kBlock; ++i) block[i] = static_cast<float>(i % 7 - 3);
  while (thread_cpu_ns() < end_ns && !interrupted()) decode_block(block);
}

void WallTime::wake() {
  // the lock orders this call after a sleeper's last evaluation of `interrupted`
  const std::lock_guard lock(mutex_);
  for (Sleeper* sleeper : sleepers_) {
    if ((*sleeper->interrupted)()) sleeper->changed.notify_one();
  }
}

Instant JumpingTime::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void JumpingTime::note_busy() {
  const std::lock_guard lock(mutex_);
  ++busy_;
}

void JumpingTime::note_idle() {
  const std::lock_guard lock(mutex_);
  --busy_;
  jump_if_idle();
}

void JumpingTime::sleep(Instant until, const std::function<bool()>& interrupted) {
  std::unique_lock lock(mutex_);
  if (until <= now_ || interrupted()) return;
  Sleeper me{until, sleeps_++, false, &interrupted};
  sleepers_.push_back(&me);
  --busy_;  // a sleeping thread does not prevent a jump
  jump_if_idle();
  changed_.wait(lock, [&] { return me.released; });
}

void JumpingTime::wake() {
  const std::lock_guard lock(mutex_);
  for (Sleeper* sleeper : sleepers_) {
    if (sleeper->released || !(*sleeper->interrupted)()) continue;
    sleeper->released = true;
    ++busy_;
  }
  std::erase_if(sleepers_, [](const Sleeper* sleeper) { return sleeper->released; });
  changed_.notify_all();
}

void JumpingTime::jump_if_idle() {
  if (busy_ > 0 || sleepers_.empty()) return;
  const auto first =
      std::min_element(sleepers_.begin(), sleepers_.end(), [](const Sleeper* a, const Sleeper* b) {
        return a->until != b->until ? a->until < b->until : a->order < b->order;
      });
  Sleeper* const sleeper = *first;
  sleepers_.erase(first);
  now_ = sleeper->until;
  sleeper->released = true;
  ++busy_;
  changed_.notify_all();
}

}  // namespace paceline
