// SPDX-License-Identifier: MIT
/// \file
/// The check of a message from another process: which roles send its kind to which, and whether the
/// indices in it are in range. A strategy adds its own kinds.
#pragma once
#include "training/strategies/worker_death.hpp"

namespace paceline {

/// The sender and the receiver of a message.
struct MessageEnds {
  const Plan& plan;
  RoleId from, to;

  bool is_worker(RoleId role) const { return role >= 0 && role < plan.workers; }
  bool leads(RoleId role) const { return role == plan.server(0); }
  bool from_worker_to_shard() const { return is_worker(from) && !is_worker(to); }
  bool from_worker_to_leader() const { return is_worker(from) && leads(to); }
  bool from_leader_to_shard() const { return leads(from) && !is_worker(to) && !leads(to); }
  bool from_shard_to_worker() const { return !is_worker(from) && is_worker(to); }

  bool operator()(const LifetimeOver&) const { return false; }  // from a worker to itself
  bool operator()(const Died&) const { return from_worker_to_leader(); }
  bool operator()(const Back& back) const { return from_worker_to_leader() && back.worker == from; }
};

/// Whether the message is of a kind of `Kinds` that is sound between its ends, for the strategy's
/// `Ends`. As Aggregation::is_sound.
template <class Kinds, class Ends>
bool is_sound_between(const Plan& plan, RoleId to, const Message& message) {
  const Ends ends{{plan, message.from, to}};
  bool sound = false;
  Kinds::read(message, [&](const auto& kind) { sound = ends(kind); });
  return sound;
}

}  // namespace paceline
