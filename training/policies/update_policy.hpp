// SPDX-License-Identifier: MIT
/// \file
/// When weights are updated, and who goes on then. A policy is a rule over gradients as they
/// arrive; the programs of strategies/ obey it and never ask for its name.
#pragma once
#include <optional>

#include "experiments/family.hpp"
#include "training/policies/statement.hpp"

namespace paceline {

/// Who fetches the new weights after an update.
enum class Restart {
  everyone,      ///< all workers; a mini-batch that is still under way is cancelled
  contributors,  ///< only the workers whose gradients the update took; the others go on
};

/// K that grows as the loss falls.
struct Adaptation {
  int window = 0;  ///< updates between two choices of K; 0: K is fixed
};

/// Replicas that train on their own and exchange with every shard on its own (Downpour).
struct Exchange {
  int push_every = 0;  ///< mini-batches whose gradients are pushed together; 0: no such exchange
  int fetch_every = 0;
};

/// A policy for a given number of workers.
struct Rule {
  int gradients = 1;         ///< K: gradients in an update
  bool current_only = true;  ///< a gradient of an older version is discarded
  Restart restart = Restart::everyone;
  bool goes_on = false;      ///< whose gradient has arrived starts another mini-batch at once:
                             ///< an update may take several of one worker
  std::optional<int> slack;  ///< completed mini-batches that a worker may be ahead of the slowest
  int local_steps = 1;       ///< H: updates of a worker's own weights before they are averaged
  Adaptation adaptation;
  Exchange exchange;

  /// Mini-batches that an update stands for.
  int mini_batches() const {
    return gradients * local_steps * (exchange.push_every > 0 ? exchange.push_every : 1);
  }
};

/// One way of waiting. Times and staleness: training/theory.
class UpdatePolicy {
 public:
  virtual ~UpdatePolicy() = default;
  virtual Rule rule(int workers) const = 0;
  /// The same for every value of the keys.
  virtual Statement statement() const = 0;
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
