// SPDX-License-Identifier: MIT
#include "training/theory/closed_form.hpp"

#include <cassert>
#include <map>
#include <vector>

#include "training/theory/order_statistic.hpp"
#include "training/theory/unequal_workers.hpp"

namespace paceline {
namespace {

/// P workers, those of the same slowdown together; one group when all are alike.
class Workers {
 public:
  Workers(int count, Seconds compute, const Stragglers& stragglers) : count_(count) {
    std::map<double, int> of_slowdown;
    for (int worker = 0; worker < count; ++worker) ++of_slowdown[stragglers.slowdown(worker)];
    // Nothing but arithmetic is slowed down, so without any the workers are alike.
    if (compute == Seconds{0}) of_slowdown = {{1, count}};
    for (const auto& [slowdown, alike] : of_slowdown) {
      groups_.push_back({StepTime(compute * slowdown, stragglers.compute.part().get()), alike});
    }
  }

  int count() const { return count_; }
  bool all_alike() const { return groups_.size() == 1; }
  const StepTime& x() const { return groups_.front().x; }

  /// E[X_{k:P}].
  std::optional<Seconds> first(int k) const {
    if (all_alike()) return expected_order_statistic(x(), k, count_);
    constexpr std::size_t kMostGroups = 128;  // beyond, the quadrature takes seconds
    if (groups_.size() > kMostGroups) return std::nullopt;
    return expected_time_of_first(k, groups_);
  }

  /// The mean time between two mini-batches of anyone where nobody ever waits: by the elementary
  /// renewal theorem worker i finishes one every E[X_i], whatever the distribution.
  std::optional<Seconds> between_any_two() const {
    double rate = 0;
    for (const AlikeWorkers& group : groups_) {
      const std::optional<Seconds> mean = group.x.mean();
      if (!mean) return std::nullopt;
      rate += group.count / mean->value();
    }
    return Seconds{1 / rate};
  }

 private:
  int count_;
  std::vector<AlikeWorkers> groups_;
};

std::optional<Theory> waits_for_first(const Workers& workers, int k) {
  const auto iteration = workers.first(k);
  if (!iteration) return std::nullopt;
  return Theory{.iteration = *iteration};
}

std::optional<Theory> k_batch_sync(const Workers& workers, int k) {
  if (workers.all_alike() && workers.x().shape().aging == Aging::memoryless) {
    const auto between = workers.between_any_two();
    if (between) return Theory{.iteration = *between * k};
  }
  // The first K mini-batches of anyone are there no later than the first K of different learners.
  auto theory = waits_for_first(workers, k);
  if (theory) theory->bound = k > 1;
  return theory;
}

std::optional<Theory> k_batch_async(const Workers& workers, int k) {
  const auto between = workers.between_any_two();
  if (!between) return std::nullopt;
  return Theory{.iteration = *between * k, .staleness = (workers.count() - 1.0) / k};
}

std::optional<Theory> k_async(const Workers& workers, int k) {
  if (k == 1) return k_batch_async(workers, 1);
  if (k == workers.count()) return waits_for_first(workers, k);
  if (!workers.all_alike() || workers.x().shape().aging == Aging::neither) return std::nullopt;
  // The learners that were not waited for have part of their time behind them. If that never makes
  // the rest longer than a new draw, the K-th is there no later than if all had begun anew.
  auto theory = waits_for_first(workers, k);
  if (!theory) return std::nullopt;
  theory->bound = workers.x().shape().aging != Aging::memoryless;
  theory->staleness = static_cast<double>(workers.count()) / k - 1;
  return theory;
}

}  // namespace

std::optional<Theory> theory(std::string_view policy, int workers, int waited_for, Seconds compute,
                             const Stragglers& stragglers) {
  assert(1 <= waited_for && waited_for <= workers);
  const Workers all(workers, compute, stragglers);
  if (all.x().shape().high == Seconds{0}) return std::nullopt;  // nothing takes any time
  if (policy == "sync") return waits_for_first(all, workers);
  if (policy == "k-sync") return waits_for_first(all, waited_for);
  if (policy == "k-batch-sync") return k_batch_sync(all, waited_for);
  if (policy == "async") return k_batch_async(all, 1);
  if (policy == "k-async") return k_async(all, waited_for);
  if (policy == "k-batch-async") return k_batch_async(all, waited_for);
  return std::nullopt;
}

}  // namespace paceline
