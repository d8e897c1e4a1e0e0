// SPDX-License-Identifier: MIT
/// \file
/// The real buffers of a training run: every role's weights, gradients and landings, and what
/// commands do to them, wherever they lie. Server weights are versions: an update writes a new one,
/// so that a fetch reads a snapshot without a lock. The same buffers serve every clock.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "training/learning/arrays.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// What must be kept until the work of a command has ended: while somebody has it, nobody writes
/// it. Null: nothing.
using Held = SharedArray;

/// Commands touch different buffers at a time, or the same one in an order that tokens impose. Only
/// the snapshots need a lock: one may be replaced while a slow worker still fetches it.
class Buffers {
 public:
  /// Keeps every version of the model that is a multiple of `keep_every`, and the last, for
  /// evaluation later; 0 keeps none. `process`: allocates only for the roles that it runs; empty:
  /// for all. `plan` and `store` must outlive this.
  Buffers(const Plan& plan, UpdateRule rule, const std::vector<float>& initial,
          std::int64_t keep_every, ArrayStore& store, std::optional<int> process = {});

  /// Worker buffers, for arithmetic.
  std::span<const float> weights(RoleId worker) const { return place(worker).weights->floats(); }
  std::span<float> gradient(RoleId worker) { return place(worker).gradients.front()->floats(); }

  /// Carries out a copy, a sum, an update, an assignment or a publication, by `work` of the stream
  /// that the command is for. Commands of one stream come in its order. Where `work` only queues, a
  /// copy may come once what it waits for is queued before it; a publication is then made of
  /// `current`, when its turn has come, and `publish`, once the work before it has ended.
  Held perform(const Command& command, ArrayWork& work);

  /// The weights of a server as far as work has been queued.
  Held current(RoleId server) const { return place(server).current; }
  /// Makes `version` of the weights of a server the snapshot that worker `weights.slot` may fetch.
  void publish(const BufferRef& weights, Held version);

  /// What a copy reads or writes, for who copies between processes. Of a snapshot, `held` must be
  /// kept while it is read. Throws std::out_of_range where this process has no such part.
  struct Lent {
    Held held;
    std::span<const float> floats;
  };
  Lent lend(const BufferRef& from);
  std::span<float> open(const BufferRef& to);

  /// A version of a server's shard that another process has, of the current weights version -1.
  /// After a run, so that the process that evaluates has all of them.
  void adopt(RoleId server, std::int64_t version, const std::vector<float>& weights);
  std::vector<std::int64_t> versions_of(RoleId server) const;
  std::vector<float> version_of(RoleId server, std::int64_t version) const;

  /// The model as it stands: the servers', or worker 0's. All work must have ended, here and below.
  std::vector<float> model() const;
  /// The versions kept, the first and the last among them, by version of shard 0 (or worker 0).
  std::vector<std::int64_t> kept_versions() const;
  std::vector<float> kept_model(std::int64_t version) const;

 private:
  struct Place {
    std::int64_t begin = 0;  ///< first parameter that this role keeps
    std::size_t size = 0;    ///< parameters
    SharedArray weights, incoming;
    std::vector<SharedArray> gradients, landings;  ///< by slot
    SharedArray current;                           ///< of a server
    std::vector<SharedArray> snapshots;            ///< by worker
    std::vector<SharedArray> spare;                ///< all versions, free where nobody else has one
    SharedArray replaced;                          ///< the last snapshot that made way for another
    std::map<std::int64_t, SharedArray> kept;      ///< by version
    SharedArray mean, squares;                     ///< of the optimizer
    std::int64_t updates = 0;
  };
  Place& place(RoleId role) { return places_[static_cast<std::size_t>(role)]; }
  const Place& place(RoleId role) const { return places_[static_cast<std::size_t>(role)]; }
  std::span<float> at(const BufferRef& ref);
  bool is_server(RoleId role) const { return role >= plan_.workers; }
  /// Whether servers hold the model, each a shard; else every worker has it.
  bool at_servers() const { return plan_.shards > 0 && !plan_.replicas; }
  void make_worker(RoleId worker, const std::vector<float>& initial);
  void make_shard(int shard, const std::vector<float>& initial);
  void allocate_versions();
  void start_optimizer(RoleId role);
  void check_that_here(const BufferRef& part) const;
  std::vector<SharedArray> allocate(RoleId role, std::size_t count);
  template <class PartOfShard>
  std::vector<float> joined_shards(const PartOfShard& part_of_shard) const;

  Held copy(const Command& command, ArrayWork& work);
  Held reduce(const Command& command, ArrayWork& work);
  Held update(const Command& command, ArrayWork& work);
  void assign(const Command& command, ArrayWork& work);
  SharedArray snapshot(RoleId server, std::int32_t worker) const;
  Held weigh(const Command& command, double gradients, Factor& factor) const;
  SharedArray unread_version(RoleId owner);
  bool keeps(RoleId role, std::int64_t version) const;
  void keep(RoleId role, std::int64_t version, ArrayWork& work);

  const Plan& plan_;
  UpdateRule rule_;
  std::int64_t keep_every_;
  ArrayStore& store_;
  std::vector<Place> places_;
  mutable std::mutex snapshots_;
};

}  // namespace paceline
