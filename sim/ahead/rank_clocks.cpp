// SPDX-License-Identifier: MIT
#include "sim/ahead/rank_clocks.hpp"

#include <algorithm>
#include <functional>

namespace paceline {
namespace {

template <class T>
bool all_equal(const std::vector<T>& values) {
  return std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
}

template <class T>
void spread_first(std::vector<T>& values) {
  if (!values.empty()) std::fill(values.begin() + 1, values.end(), values.front());
}

template <class T>
void gather_into(std::vector<T>& some, const std::vector<T>& all, std::span<const int> ranks) {
  some.resize(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<std::size_t>(ranks[i]);
    some[i] = rank < all.size() ? all[rank] : T{};
  }
}

template <class T>
void scatter_from(const std::vector<T>& some, std::vector<T>& all, std::span<const int> ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) all[static_cast<std::size_t>(ranks[i])] = some[i];
}

}  // namespace

bool QueuedSteps::same_number() const {
  return all_equal(steps_);
}

bool QueuedSteps::same() const {
  return same_number() && std::ranges::all_of(slots_, [](const Slot& slot) {
           return all_equal(slot.sent) && all_equal(slot.began);
         });
}

void QueuedSteps::queue_all(const Times& sent, const Times& flow, std::size_t ranks, Times& host,
                            const ScheduleCosts& costs) {
  const std::uint32_t steps = steps_.front();
  Slot& slot = slots_[steps % kAhead];
  slot.grow(steps_.size());
  std::int64_t *const earlier = slot.sent.data(), *const flowed = slot.began.data(),
                      *const hosts = host.data();
  const bool waits = steps >= kAhead;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (waits) hosts[rank] = costs.host_after(hosts[rank], earlier[rank], flowed[rank]);
    earlier[rank] = sent[rank];
    flowed[rank] = sent[rank] - flow[rank];
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) ++steps_[rank];
}

void QueuedSteps::spread() {
  spread_first(steps_);
  for (Slot& slot : slots_) {
    spread_first(slot.sent);
    spread_first(slot.began);
  }
}

void QueuedSteps::gather(const QueuedSteps& all, std::span<const int> ranks) {
  gather_into(steps_, all.steps_, ranks);
  for (std::size_t i = 0; i < kAhead; ++i) {
    gather_into(slots_[i].sent, all.slots_[i].sent, ranks);
    gather_into(slots_[i].began, all.slots_[i].began, ranks);
  }
}

void QueuedSteps::scatter(QueuedSteps& all, std::span<const int> ranks) const {
  scatter_from(steps_, all.steps_, ranks);
  for (std::size_t i = 0; i < kAhead; ++i) {
    all.slots_[i].grow(all.steps_.size());
    scatter_from(slots_[i].sent, all.slots_[i].sent, ranks);
    scatter_from(slots_[i].began, all.slots_[i].began, ranks);
  }
}

void RankClocks::spread() {
  for (Times* times : {&stream, &last, &sent, &host}) spread_first(*times);
  spread_first(unread);
  queued.spread();
}

void RankClocks::gather(const RankClocks& all, std::span<const int> ranks) {
  gather_into(stream, all.stream, ranks);
  gather_into(last, all.last, ranks);
  gather_into(sent, all.sent, ranks);
  gather_into(host, all.host, ranks);
  gather_into(unread, all.unread, ranks);
  queued.gather(all.queued, ranks);
}

void RankClocks::scatter(RankClocks& all, std::span<const int> ranks) const {
  scatter_from(stream, all.stream, ranks);
  scatter_from(last, all.last, ranks);
  scatter_from(sent, all.sent, ranks);
  scatter_from(host, all.host, ranks);
  scatter_from(unread, all.unread, ranks);
  queued.scatter(all.queued, ranks);
}

}  // namespace paceline
