// SPDX-License-Identifier: MIT
/// \file
/// The real buffers of a training run, as the roles declare them, and the effect of commands on
/// them, wherever they lie. Weights that are published are versions: an update writes a new one, so
/// that a fetch reads a snapshot without a lock. The same buffers serve every clock.
#pragma once
#include <map>
#include <mutex>
#include <vector>

#include "training/learning/arrays.hpp"
#include "training/runtime/buffer_plan.hpp"

namespace paceline {

/// An array that must be kept until the work of a command has ended: an array that is held is not
/// written. Null: none.
using Held = SharedArray;

/// Commands touch different buffers at a time, or the same one in an order that tokens impose. Only
/// the snapshots need a lock: one may be replaced while a slow worker still fetches it.
class Buffers {
 public:
  /// Keeps every version of the model that is a multiple of `keep_every`, and the last, for
  /// evaluation later; 0 keeps none. `store` must outlive this.
  Buffers(BufferPlan plan, UpdateRule rule, const std::vector<float>& initial,
          std::int64_t keep_every, ArrayStore& store);

  /// Worker buffers, for arithmetic.
  std::span<const float> weights(RoleId worker) const {
    return place(worker).weights.front()->floats();
  }
  std::span<float> gradient(RoleId worker) { return place(worker).gradients.front()->floats(); }

  /// Carries out a copy, a sum (that of a collective for all its ranks at once), an update, an
  /// assignment or a publication, by `work` of the stream
  /// that the command is for. Commands of one stream come in its order. Where `work` only queues, a
  /// copy may come once what it waits for is queued before it; a publication is then made of
  /// `current`, when its turn has come, and `publish`, once the work before it has ended.
  Held perform(const Command& command, ArrayWork& work);

  /// The weights of a server as far as work has been queued.
  Held current(RoleId server) const { return place(server).current; }
  /// Makes `version` of the weights of a server the snapshot that a worker may fetch.
  void publish(const Command::Publish& publish, Held version);

  /// The floats that a copy between processes reads or writes. Of a snapshot, `held` must be kept
  /// while it is read. Throws std::out_of_range where this process has no such part.
  struct Loan {
    Held held;
    std::span<const float> floats;
  };
  Loan lend(const BufferRef& from, const Slice& slice);
  std::span<float> open(const BufferRef& to, const Slice& slice);

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
    /// By slot.
    std::vector<SharedArray> weights, gradients, landings, incoming, encoded, residual, batches,
        validation_batches, datasets;
    SharedArray current;                 ///< weights that are published; null: none are
    std::vector<SharedArray> snapshots;  ///< by worker
    std::vector<SharedArray> spare;      ///< all versions, free where there is no other reference
    SharedArray replaced;                ///< the last snapshot that made way for another
    std::map<std::int64_t, SharedArray> history;  ///< by version
    SharedArray mean, squares;                    ///< of the optimizer
    std::int64_t updates = 0;
    const SharedArray& latest() const { return current != nullptr ? current : weights.front(); }
  };
  Place& place(RoleId role) { return places_[static_cast<std::size_t>(role)]; }
  const Place& place(RoleId role) const { return places_[static_cast<std::size_t>(role)]; }
  std::vector<SharedArray>& slots(Place& owner, Buffer buffer);
  std::span<float> at(const BufferRef& ref, const Slice& slice);
  void make(RoleId role, const std::vector<float>& initial);
  void allocate_versions();
  void check_that_here(const BufferRef& ref, const Slice& slice);
  std::vector<SharedArray> allocate(RoleId role, std::size_t count, std::size_t size);
  template <class PartOfRole>
  std::vector<float> joined(const PartOfRole& part_of_role) const;

  Held carry_out(const Command::Copy& copy, ArrayWork& work);
  Held carry_out(const Command::Collective& collective, ArrayWork& work);
  Held carry_out(const Command::Reduce& reduce, ArrayWork& work);
  Held carry_out(const Command::Encode& encode, ArrayWork& work);
  Held carry_out(const Command::Decode& decode, ArrayWork& work);
  Held carry_out(const Command::Update& update, ArrayWork& work);
  Held carry_out(const Command::Assign& assign, ArrayWork& work);
  Held carry_out(const Command::Publish& publish, ArrayWork& work);
  SharedArray snapshot(RoleId server, std::int32_t worker) const;
  Held weigh(const GradientAge& age, RoleId server, double gradients, Factor& factor) const;
  SharedArray unread_version(RoleId owner);
  bool keeps(RoleId role, std::int64_t version) const;
  void keep(RoleId role, std::int64_t version, ArrayWork& work);

  const BufferPlan plan_;
  UpdateRule rule_;
  std::int64_t keep_every_;
  ArrayStore& store_;
  std::vector<Place> places_;
  mutable std::mutex snapshots_;
};

}  // namespace paceline
