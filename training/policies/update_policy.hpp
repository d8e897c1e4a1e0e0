// SPDX-License-Identifier: MIT
/// \file
/// When a parameter server updates the weights, and who starts anew then. A policy is a rule over
/// gradients as they arrive; the server's program (strategies/parameter_server.cpp) obeys it.
#pragma once
#include "experiments/family.hpp"

namespace paceline {

/// Who fetches the new weights after an update.
enum class Restart {
  everyone,      ///< all workers; a mini-batch that is still under way is cancelled
  contributors,  ///< only the workers whose gradients the update took; the others go on
};

/// A policy for a given number of workers.
struct Rule {
  int gradients = 1;         ///< K: gradients in an update, each of another worker
  bool current_only = true;  ///< a gradient of an older version is discarded
  Restart restart = Restart::everyone;
};

/// One way of waiting. Times and staleness: training/theory; statements: docs/model.md.
class UpdatePolicy {
 public:
  virtual ~UpdatePolicy() = default;
  virtual Rule rule(int workers) const = 0;
};

const Family<UpdatePolicy>& table_of(const UpdatePolicy*);

// The rows: one file each.
Variant<UpdatePolicy> sync_policy();
Variant<UpdatePolicy> k_sync_policy();
Variant<UpdatePolicy> async_policy();
Variant<UpdatePolicy> k_async_policy();

}  // namespace paceline
