// SPDX-License-Identifier: MIT
/// \file
/// The real buffers of an execution on the host: every role's weights, gradients and landings.
/// Server weights are versions: an update writes a new one, so that a fetch reads a snapshot
/// without a lock.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "training/arithmetic/optimizer.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// Threads touch different buffers at a time, or the same one in an order that tokens impose. Only
/// the snapshots need a lock: one may be replaced while a slow worker still fetches it.
class HostMemory {
 public:
  HostMemory(const Plan& plan, const Optimizer& optimizer, std::vector<float> initial);

  /// Worker buffers, for arithmetic.
  std::span<const float> weights(RoleId worker) const { return place(worker).weights; }
  std::span<float> gradient(RoleId worker) { return place(worker).gradient; }

  void copy(const BufferRef& from, const BufferRef& to);
  void reduce(const BufferRef& into, const BufferRef& from);
  void update(const BufferRef& weights, const BufferRef& gradient, float scale);
  void publish(const BufferRef& weights);

  /// The model as it stands: a server's, or worker 0's.
  std::vector<float> model() const;

 private:
  struct Place {
    std::int64_t begin = 0;  ///< first parameter that this role keeps
    std::vector<float> weights, gradient;
    std::vector<std::vector<float>> landings;  ///< by slot, made when first needed
    std::shared_ptr<std::vector<float>> current;
    std::vector<std::shared_ptr<std::vector<float>>> snapshots;  ///< by worker
    std::vector<std::shared_ptr<std::vector<float>>> spare;
    OptimizerState state;
  };
  Place& place(RoleId role) { return places_[static_cast<std::size_t>(role)]; }
  const Place& place(RoleId role) const { return places_[static_cast<std::size_t>(role)]; }
  std::span<float> at(const BufferRef& ref);

  const Plan& plan_;
  const Optimizer& optimizer_;
  std::vector<Place> places_;
  std::mutex snapshots_;
};

}  // namespace paceline
