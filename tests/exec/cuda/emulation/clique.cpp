// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/clique.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>

#include "tests/exec/cuda/emulation/stream.hpp"

namespace paceline::cuda::emulation {
namespace {

// interval at which waiting threads check for a reset
constexpr std::chrono::milliseconds kLook{5};

/// The sums of `count` numbers that each rank has.
std::vector<float> sums_of(const std::vector<Share>& shares, std::size_t count) {
  std::vector<float> sums(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Share& share : shares)
      sums[i] += Reader(share.from, share.number)[static_cast<std::int64_t>(i)];
  }
  return sums;
}

void write(const Share& to, std::span<const float> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    Writer(to.to, to.number).set(static_cast<std::int64_t>(i), numbers[i]);
}

/// Each rank receives the parts that others have sent to it, one after another.
void exchange(const std::vector<Share>& shares) {
  for (const Share& to : shares) {
    for (const Share& from : shares) {
      auto sent = from.sends.begin();
      for (const Share::Received& received : to.receives) {
        if (received.peer != from.rank) continue;
        sent = std::find_if(sent, from.sends.end(),
                            [&](const Share::Sent& one) { return one.peer == to.rank; });
        if (sent == from.sends.end()) return;
        std::memcpy(received.data, sent->data, std::min(received.bytes, sent->bytes));
        ++sent;
      }
    }
  }
}

}  // namespace

void carry_out(const std::vector<Share>& shares) {
  const Share& first = shares.front();
  const std::size_t bytes = first.count * bytes_of(first.number);
  switch (first.call) {
    case Call::all_reduce: {
      const std::vector<float> sums = sums_of(shares, first.count);
      for (const Share& share : shares) write(share, sums);
      break;
    }
    case Call::reduce:
      write(shares[static_cast<std::size_t>(first.root)], sums_of(shares, first.count));
      break;
    case Call::reduce_scatter: {
      const std::vector<float> sums = sums_of(shares, first.count * shares.size());
      for (std::size_t rank = 0; rank < shares.size(); ++rank)
        write(shares[rank], std::span(sums).subspan(rank * first.count, first.count));
      break;
    }
    case Call::broadcast:
      for (const Share& share : shares)
        std::memmove(share.to, shares[static_cast<std::size_t>(first.root)].from, bytes);
      break;
    case Call::all_gather:
      for (const Share& share : shares) {
        for (std::size_t rank = 0; rank < shares.size(); ++rank)
          std::memmove(static_cast<std::byte*>(share.to) + rank * bytes, shares[rank].from, bytes);
      }
      break;
    case Call::exchange:
      exchange(shares);
      break;
  }
}

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

void Clique::take_part(const Share& mine, std::uint64_t& calls, const std::atomic<bool>& aborted) {
  std::unique_lock lock(mutex_);
  Meeting& meeting = meetings_[calls++];
  meeting.shares.push_back(mine);
  const Share& first = meeting.shares.front();
  meeting.fits = meeting.fits && mine.count == first.count && mine.call == first.call;
  if (meeting.shares.size() == devices_.size()) {
    std::ranges::sort(meeting.shares, {}, &Share::rank);
    if (meeting.fits) carry_out(meeting.shares);  // otherwise it hangs, as the real one may
    meeting.done = meeting.fits;
    changed_.notify_all();
  }
  const std::atomic<bool>& cancelled = cancelled_here();
  while (!meeting.done && !aborted && !cancelled) changed_.wait_for(lock, kLook);
  if (!meeting.done) meeting.fits = false;  // the memory of this rank may be gone from now on
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
