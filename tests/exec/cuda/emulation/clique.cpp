// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/clique.hpp"

#include <algorithm>
#include <chrono>

#include "tests/exec/cuda/emulation/stream.hpp"

namespace paceline::cuda::emulation {
namespace {

// interval at which waiting threads check for a reset
constexpr std::chrono::milliseconds kLook{5};

}  // namespace

bool Clique::join(int rank, int device) {
  {
    const std::lock_guard lock(mutex_);
    int& mine = devices_.at(static_cast<std::size_t>(rank));
    if (mine >= 0) return false;
    mine = device;
    ++arrived_;
  }
  changed_.notify_all();
  return true;
}

bool Clique::complete() const {
  const std::lock_guard lock(mutex_);
  return all_joined();
}

bool Clique::duplicate() const {
  const std::lock_guard lock(mutex_);
  auto sorted = devices_;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

void Clique::wait_for_all(const std::atomic<bool>& aborted) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return all_joined() || aborted; });
}

void Clique::add_up(const Meeting& meeting) {
  const Summand& last = meeting.parts.back();
  for (std::size_t i = 0; i < last.count; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    float sum = 0.0F;
    for (const Summand& part : meeting.parts) sum += Reader(part.from, last.number)[at];
    for (const Summand& part : meeting.parts) Writer(part.to, last.number).set(at, sum);
  }
}

void Clique::sum(const Summand& mine, std::uint64_t& sums, const std::atomic<bool>& aborted) {
  std::unique_lock lock(mutex_);
  Meeting& meeting = meetings_[sums++];
  meeting.parts.push_back(mine);
  meeting.fits = meeting.fits && mine.count == meeting.parts.front().count;
  if (meeting.parts.size() == devices_.size()) {
    if (meeting.fits) add_up(meeting);  // otherwise the sum hangs, as the real one may
    meeting.done = meeting.fits;
    changed_.notify_all();
  }
  const std::atomic<bool>& cancelled = cancelled_here();
  while (!meeting.done && !aborted && !cancelled) changed_.wait_for(lock, kLook);
}

void Clique::stay_until(const std::atomic<bool>& aborted) {
  const std::atomic<bool>& cancelled = cancelled_here();
  std::unique_lock lock(mutex_);
  while (!aborted && !cancelled) changed_.wait_for(lock, kLook);
}

void Clique::abort(std::atomic<bool>& aborted) {
  {
    const std::lock_guard lock(mutex_);
    aborted = true;
  }
  changed_.notify_all();
}

}  // namespace paceline::cuda::emulation
