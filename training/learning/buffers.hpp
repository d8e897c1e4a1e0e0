// SPDX-License-Identifier: MIT
/// \file
/// The real buffers of a training run: every role's weights, gradients and landings, and what
/// commands do to them. Server weights are versions: an update writes a new one, so that a fetch
/// reads a snapshot without a lock. The same buffers serve every clock.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "training/arithmetic/optimizer.hpp"
#include "training/learning/update_rule.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// Threads touch different buffers at a time, or the same one in an order that tokens impose. Only
/// the snapshots need a lock: one may be replaced while a slow worker still fetches it.
class Buffers {
 public:
  /// Keeps every version of the model that is a multiple of `keep_every`, and the last, for
  /// evaluation later; 0 keeps none. `plan` must outlive this.
  Buffers(const Plan& plan, UpdateRule rule, std::vector<float> initial, std::int64_t keep_every);

  /// Worker buffers, for arithmetic.
  std::span<const float> weights(RoleId worker) const { return place(worker).weights; }
  std::span<float> gradient(RoleId worker) { return place(worker).gradients.front(); }

  /// Carries out a copy, a sum, an update, an assignment or a publication.
  void perform(const Command& command);

  /// The model as it stands: the servers', or worker 0's.
  std::vector<float> model() const;
  /// The versions kept, the first and the last among them, by version of shard 0 (or worker 0).
  std::vector<std::int64_t> kept_versions() const;
  std::vector<float> kept_model(std::int64_t version) const;

 private:
  using Version = std::shared_ptr<std::vector<float>>;
  struct Place {
    std::int64_t begin = 0;  ///< first parameter that this role keeps
    std::vector<float> weights, incoming;
    std::vector<std::vector<float>> gradients, landings;  ///< by slot
    Version current;                                      ///< of a server
    std::vector<Version> snapshots;                       ///< by worker
    std::vector<Version> spare;
    std::map<std::int64_t, Version> kept;  ///< by version
    OptimizerState state;
  };
  Place& place(RoleId role) { return places_[static_cast<std::size_t>(role)]; }
  const Place& place(RoleId role) const { return places_[static_cast<std::size_t>(role)]; }
  std::span<float> at(const BufferRef& ref);
  bool is_server(RoleId role) const { return role >= plan_.workers; }
  /// Whether servers hold the model, each a shard; else every worker has it.
  bool at_servers() const { return plan_.shards > 0 && !plan_.replicas; }
  template <class PartOfShard>
  std::vector<float> joined_shards(const PartOfShard& part_of_shard) const;

  void copy(const BufferRef& from, const BufferRef& to);
  void reduce(const Command& command);
  void update(const Command& command);
  void assign(const Command& command);
  void publish(const BufferRef& weights);
  Version unread_version(Place& owner);
  void keep(RoleId role, std::int64_t version);
  double distance_squared(RoleId server, RoleId worker) const;

  const Plan& plan_;
  UpdateRule rule_;
  std::int64_t keep_every_;
  std::vector<Place> places_;
  mutable std::mutex snapshots_;
};

}  // namespace paceline
