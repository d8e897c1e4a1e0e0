// SPDX-License-Identifier: MIT
/// \file
/// The order in which a worker pushes to the shards and fetches from them.
#pragma once
#include <optional>
#include <vector>

#include "training/roles/backend.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// One worker's order. Where each shard has links of its own, workers begin with different shards
/// (Plan::shard_in_turn); else all take them by number, and fetch as soon as one has weights.
class ShardTurns {
 public:
  ShardTurns(const Plan& plan, RoleId worker, bool links_apart)
      : plan_(plan),
        worker_(worker),
        links_apart_(links_apart),
        offers_(static_cast<std::size_t>(plan.shards)) {}

  /// The shard of a turn, from 0.
  int shard(int turn) const { return links_apart_ ? plan_.shard_in_turn(worker_, turn) : turn; }

  /// A shard has something to fetch. Calls `fetch` with each message whose turn has come.
  template <class Fetch>
  void offer(const Message& message, Fetch fetch) {
    if (!links_apart_) return fetch(message);
    offers_[static_cast<std::size_t>(message.from - plan_.workers)] = message;
    while (fetched_ < plan_.shards) {
      const std::optional<Message>& next = offers_[static_cast<std::size_t>(shard(fetched_))];
      if (!next) return;
      fetch(*next);
      ++fetched_;
    }
  }

  /// Another round of fetches begins: offers of the last one that were not fetched are dropped.
  void begin_round() {
    fetched_ = 0;
    for (std::optional<Message>& one : offers_) one.reset();
  }

 private:
  const Plan& plan_;
  RoleId worker_;
  bool links_apart_;
  int fetched_ = 0;                             ///< shards fetched from in this round
  std::vector<std::optional<Message>> offers_;  ///< by shard, of this round
};

}  // namespace paceline
