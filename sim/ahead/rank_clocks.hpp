// SPDX-License-Identifier: MIT
/// \file
/// The places that the ranks of a collective have come to.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sim/ahead/schedule_costs.hpp"

namespace paceline {

template <class T>
bool all_equal(const std::vector<T>& values) {
  return std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
}

/// The steps that each rank's host has queued ahead: it awaits the send of four steps before.
class QueuedSteps {
 public:
  static constexpr std::size_t kAhead = 4;
  using Times = std::vector<std::int64_t>;

  /// A new call: nothing is queued.
  void clear(std::size_t ranks) { steps_.assign(ranks, 0); }
  /// Whether all ranks have queued as many steps; and whether these also ended at one time.
  bool same_number() const;
  bool same() const;

  /// A rank has queued a step; its last send so far ended at `sent`, and its bytes began to flow at
  /// `began`. Returns where its host goes on that had come to `host`.
  std::int64_t queue(std::size_t rank, std::int64_t sent, std::int64_t began, std::int64_t host,
                     const ScheduleCosts& costs) {
    const std::uint32_t steps = steps_[rank]++;
    Slot& slot = slots_[steps % kAhead];
    slot.grow(steps_.size());
    const std::int64_t earlier = std::exchange(slot.sent[rank], sent);
    const std::int64_t flowed = std::exchange(slot.began[rank], began);
    return steps < kAhead ? host : costs.host_after(host, earlier, flowed);
  }
  /// The same of the first ranks, which have queued as many steps: `flow` is the time of the bytes.
  void queue_all(const Times& sent, const Times& flow, std::size_t ranks, Times& host,
                 const ScheduleCosts& costs);
  /// All ranks are as the first.
  void spread();
  /// The ranks of a team out of all, and back.
  void gather(const QueuedSteps& all, std::span<const int> ranks);
  void scatter(QueuedSteps& all, std::span<const int> ranks) const;

 private:
  struct Slot {
    Times sent, began;
    void grow(std::size_t ranks) {
      if (sent.size() >= ranks) return;
      sent.resize(ranks);
      began.resize(ranks);
    }
  };
  /// Calls `use` for each row of two, by rank.
  template <class Some, class All, class Use>
  static void for_each_row(Some& some, All& all, const Use& use) {
    use(some.steps_, all.steps_);
    for (std::size_t i = 0; i < kAhead; ++i) {
      use(some.slots_[i].sent, all.slots_[i].sent);
      use(some.slots_[i].began, all.slots_[i].began);
    }
  }

  std::array<Slot, kAhead> slots_;
  std::vector<std::uint32_t> steps_;  ///< by rank
};

/// In picoseconds of the clock, by rank.
struct RankClocks {
  using Times = std::vector<std::int64_t>;
  explicit RankClocks(std::size_t ranks)
      : stream(ranks), last(ranks), sent(ranks), host(ranks), unread(ranks) {}
  std::size_t size() const { return stream.size(); }
  Times stream;                      ///< its push stream is free
  Times last;                        ///< its last sum or arrival; at the begin its part is ready
  Times sent;                        ///< no other rank reads its buffer any more
  Times host;                        ///< its program has come so far
  std::vector<std::uint8_t> unread;  ///< nothing on its stream waits for `last` yet
  QueuedSteps queued;

  void spread();
  void gather(const RankClocks& all, std::span<const int> ranks);
  void scatter(RankClocks& all, std::span<const int> ranks) const;

 private:
  template <class Some, class All, class Use>
  static void for_each_row(Some& some, All& all, const Use& use) {
    use(some.stream, all.stream);
    use(some.last, all.last);
    use(some.sent, all.sent);
    use(some.host, all.host);
    use(some.unread, all.unread);
  }
};

}  // namespace paceline
