// SPDX-License-Identifier: MIT
/// \file
/// The order in which a worker pushes to the shards and fetches from them.
#pragma once
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "training/runtime/backend.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// A shard's weights, or a sum, that a worker may fetch.
struct Offer {
  RoleId server = 0;
  RoleId sum_at = 0;  ///< as of parameter_server::Weights
};

/// The order in which a worker takes the shards (Plan::shard_in_turn). Where shards share links, a
/// worker fetches from each as soon as it has weights.
class ShardTurns {
 public:
  ShardTurns(const Plan& plan, RoleId worker)
      : plan_(plan),
        worker_(worker),
        offers_(plan.links_apart > 1 ? static_cast<std::size_t>(plan.shards) : 0) {}

  /// The shard of a turn, from 0.
  int shard(int turn) const {
    if (!order_.empty()) return order_[static_cast<std::size_t>(turn)];
    return plan_.shard_in_turn(worker_, plan_.workers, turn);
  }

  /// A shard has something to fetch. Calls `fetch` with each offer in its turn.
  template <class Fetch>
  void offer(const Offer& offer, Fetch fetch) {
    if (plan_.links_apart == 1) return fetch(offer);
    offers_[static_cast<std::size_t>(offer.server - plan_.workers)] = offer;
    while (fetched_ < plan_.shards) {
      const std::optional<Offer>& next = offers_[static_cast<std::size_t>(shard(fetched_))];
      if (!next) return;
      fetch(*next);
      ++fetched_;
    }
  }

  /// Another round of fetches begins, those of `step`: offers of the last one that were not fetched
  /// are dropped. Where a worker fetches at random and variables have places, so is the order of
  /// the shards.
  void begin_round(std::int64_t step) {
    if (plan_.links_apart == 1) return;
    fetched_ = 0;
    if (plan_.fetch_turn && !plan_.sites.empty()) {
      order_.resize(static_cast<std::size_t>(plan_.shards));
      std::iota(order_.begin(), order_.end(), 0);
      std::ranges::sort(order_, {}, [&](int shard) {
        return plan_.fetch_turn(worker_, step, static_cast<std::size_t>(shard));
      });
    }
    for (std::optional<Offer>& one : offers_) one.reset();
  }

 private:
  const Plan& plan_;
  RoleId worker_;
  int fetched_ = 0;                           ///< shards fetched from in this round
  std::vector<int> order_;                    ///< shards by turn; empty: in the worker's order
  std::vector<std::optional<Offer>> offers_;  ///< by shard, of this round
};

}  // namespace paceline
