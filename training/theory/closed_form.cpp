// SPDX-License-Identifier: MIT
#include "training/theory/closed_form.hpp"

#include <algorithm>
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
  /// Whether a mini-batch of a worker may take longer than another one of the same worker.
  bool by_chance() const {
    return std::any_of(groups_.begin(), groups_.end(), [](const AlikeWorkers& group) {
      return group.x.shape().low != group.x.shape().high;
    });
  }

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

/// Every gradient is applied to the weights that it was computed at.
std::optional<Theory> waits_for_first(const Workers& workers, int k) {
  const auto iteration = workers.first(k);
  if (!iteration) return std::nullopt;
  return Theory{.iteration = *iteration, .staleness = 0, .fresh = 1};
}

std::optional<Theory> k_batch_sync(const Workers& workers, int k) {
  if (workers.all_alike() && workers.x().shape().aging == Aging::memoryless) {
    const auto between = workers.between_any_two();
    if (between) return Theory{.iteration = *between * k, .staleness = 0, .fresh = 1};
  }
  // A worker that has just had more mini-batches than others is less likely to be in a slow spell.
  if (k > 1 && workers.x().shape().lasting) return std::nullopt;
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
  const int count = workers.count();
  if (k == count) return waits_for_first(workers, k);
  const bool memoryless = workers.all_alike() && workers.x().shape().aging == Aging::memoryless;
  std::optional<Theory> theory;
  if (k == 1) {
    theory = k_batch_async(workers, 1);
  } else if (workers.all_alike() && workers.x().shape().aging != Aging::neither) {
    // The learners that were not waited for have part of their time behind them. If that never
    // makes the rest longer than a new draw, the K-th is there no later than if all had begun anew.
    theory = waits_for_first(workers, k);
    if (theory) theory->bound = !memoryless;
    if (theory) theory->staleness = static_cast<double>(count) / k - 1;
  }
  if (!theory) return std::nullopt;
  // Any of the P learners is equally likely to be among the K, those that began last too.
  theory->fresh = memoryless ? std::optional(static_cast<double>(k) / count) : std::nullopt;
  return theory;
}

/// A worker may be `slack` mini-batches ahead of the slowest; a gradient is an update.
std::optional<Theory> stale_synchronous(const Workers& workers, int slack) {
  const auto slowest = workers.first(workers.count());
  if (!slowest) return std::nullopt;
  // With the same draws, every mini-batch begins no later than with a smaller slack. Without chance
  // the slowest worker sets the pace, however far the others may run ahead.
  return Theory{.iteration = *slowest / workers.count(), .bound = slack > 0 && workers.by_chance()};
}

/// H steps each, then an average; H x the slowest of P is what waiting after every step would take.
std::optional<Theory> local_steps(const Workers& workers, int steps) {
  const auto slowest = workers.first(workers.count());
  if (!slowest) return std::nullopt;
  return Theory{.iteration = *slowest * steps, .bound = steps > 1 && workers.by_chance()};
}

/// Each worker pushes after every n mini-batches and waits for nobody.
std::optional<Theory> pushes(const Workers& workers, int every) {
  const auto between = workers.between_any_two();
  if (!between) return std::nullopt;
  return Theory{.iteration = *between * every};
}

}  // namespace

Waiting waiting_of(std::string_view policy, const Rule& rule, int workers) {
  return {.policy = policy,
          .workers = workers,
          .k = rule.gradients,
          .slack = rule.slack,
          .local_steps = rule.local_steps,
          .push_every = rule.exchange.push_every};
}

std::optional<Theory> theory(const Waiting& waiting, Seconds compute,
                             const Stragglers& stragglers) {
  assert(1 <= waiting.k && waiting.k <= waiting.workers);
  if (stragglers.failures) return std::nullopt;
  const Workers all(waiting.workers, compute, stragglers);
  if (all.x().shape().high == Seconds{0}) return std::nullopt;  // nothing takes any time
  const std::string_view policy = waiting.policy;
  if (policy == "sync") return waits_for_first(all, waiting.workers);
  if (policy == "k-sync") return waits_for_first(all, waiting.k);
  if (policy == "k-batch-sync") return k_batch_sync(all, waiting.k);
  if (policy == "async") return k_async(all, 1);
  if (policy == "k-async") return k_async(all, waiting.k);
  if (policy == "k-batch-async") return k_batch_async(all, waiting.k);
  if (policy == "ssp" && waiting.slack) return stale_synchronous(all, *waiting.slack);
  if (policy == "local-sgd" && waiting.local_steps) return local_steps(all, *waiting.local_steps);
  if (policy == "downpour" && waiting.push_every) return pushes(all, *waiting.push_every);
  return std::nullopt;
}

}  // namespace paceline
