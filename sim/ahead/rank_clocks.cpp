// SPDX-License-Identifier: MIT
#include "sim/ahead/rank_clocks.hpp"

#include <algorithm>
#include <functional>

namespace paceline {
namespace {

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
  for_each_row(*this, *this, [](auto& row, auto&) { spread_first(row); });
}

void QueuedSteps::gather(const QueuedSteps& all, std::span<const int> ranks) {
  for_each_row(*this, all, [&](auto& row, const auto& whole) { gather_into(row, whole, ranks); });
}

void QueuedSteps::scatter(QueuedSteps& all, std::span<const int> ranks) const {
  for (Slot& slot : all.slots_) slot.grow(all.steps_.size());
  for_each_row(*this, all, [&](const auto& row, auto& whole) { scatter_from(row, whole, ranks); });
}

void RankClocks::spread() {
  for_each_row(*this, *this, [](auto& row, auto&) { spread_first(row); });
  queued.spread();
}

void RankClocks::gather(const RankClocks& all, std::span<const int> ranks) {
  for_each_row(*this, all, [&](auto& row, const auto& whole) { gather_into(row, whole, ranks); });
  queued.gather(all.queued, ranks);
}

void RankClocks::scatter(RankClocks& all, std::span<const int> ranks) const {
  for_each_row(*this, all, [&](const auto& row, auto& whole) { scatter_from(row, whole, ranks); });
  queued.scatter(all.queued, ranks);
}

}  // namespace paceline
