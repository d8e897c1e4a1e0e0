// SPDX-License-Identifier: MIT
/// \file
/// When the weights are updated, and which workers restart then. A policy states its rule, its
/// needs and its theory; the programs of strategies/ carry out any rule and never compare names.
/// docs/policies/<name>.md describes each policy.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/language/family.hpp"
#include "training/theory/theory.hpp"

namespace paceline {

/// The workers that fetch the new weights after an update.
enum class Restart {
  everyone,      ///< all workers; a mini-batch that is still under way is cancelled
  contributors,  ///< only the workers that contributed to the update; the others go on
};

/// K that grows as the loss falls.
struct Adaptation {
  int window = 0;  ///< updates between two choices of K; 0: K is fixed
};

/// Replicas that each push and fetch at intervals of their own, without waiting for an update.
struct Exchange {
  int push_every = 0;  ///< mini-batches that push their gradients together; 0: no such exchange
  int fetch_every = 0;
};

/// A policy for a given number of workers.
struct Rule {
  int gradients = 1;         ///< K: gradients in an update
  bool current_only = true;  ///< a gradient of an older version is discarded
  Restart restart = Restart::everyone;
  bool goes_on = false;      ///< a worker starts its next mini-batch once its gradient is accepted:
                             ///< an update may take several gradients of one worker
  std::optional<int> slack;  ///< completed mini-batches that a worker may be ahead of the slowest;
                             ///< empty: any number
  int local_steps = 1;       ///< H: updates of a worker's own weights before they are averaged
  int accumulate = 1;        ///< mini-batches of a worker that make one contribution together
  Adaptation adaptation;
  Exchange exchange;

  /// Number of mini-batches of a worker in its contribution to an update.
  int steps() const { return local_steps * accumulate; }
  /// Number of mini-batches in an update.
  int mini_batches() const {
    return gradients * steps() * (exchange.push_every > 0 ? exchange.push_every : 1);
  }
};

/// An update policy with its keys.
class UpdatePolicy {
 public:
  virtual ~UpdatePolicy() = default;
  virtual Rule rule(int workers) const = 0;

  /// Whether every update takes one contribution of every worker, for all values of the keys. Then
  /// workers can update replicas of the weights, as no server has to choose among gradients.
  virtual bool takes_all_workers() const { return false; }
  /// Whether the rule depends on the losses of mini-batches, so that gradients must be real.
  virtual bool needs_loss() const { return false; }
  /// Whether every gradient that a server receives is of the weights that its worker fetched last:
  /// a server can then know those weights.
  virtual bool computes_on_last_fetch() const { return true; }
  /// The optimizer where the experiment file names none; empty: that of every other policy.
  virtual std::optional<std::string> default_optimizer() const { return std::nullopt; }

  /// Expected values when communication is free; empty where no closed form is known.
  virtual std::optional<Theory> theory(const TimedWorkers&) const { return std::nullopt; }
  /// Keys, as YAML, of the rows of the policy's table of theory in docs/policies/<name>.md; ""
  /// stands for no keys.
  virtual std::vector<std::string> examples() const { return {}; }
};

const Family<UpdatePolicy>& table_of(const UpdatePolicy*);

// The rows: one file each.
Variant<UpdatePolicy> sync_policy();
Variant<UpdatePolicy> k_sync_policy();
Variant<UpdatePolicy> k_batch_sync_policy();
Variant<UpdatePolicy> async_policy();
Variant<UpdatePolicy> k_async_policy();
Variant<UpdatePolicy> k_batch_async_policy();
Variant<UpdatePolicy> ssp_policy();
Variant<UpdatePolicy> downpour_policy();
Variant<UpdatePolicy> local_sgd_policy();
Variant<UpdatePolicy> adasync_policy();

}  // namespace paceline
