// SPDX-License-Identifier: MIT
/// \file
/// Optimizers: they compute new weights from old weights and a sum of gradients. They run where the
/// weights are stored, over flat spans of a shard or of a whole model, and never look at the
/// network's layers, but for where they begin.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments/language/family.hpp"
#include "training/learning/optimizers/optimizer_step.hpp"
#include "training/learning/rates/schedule.hpp"
#include "training/learning/rates/staleness_rule.hpp"

namespace paceline {

/// The arrays that an optimizer keeps between updates, one float per weight each (see
/// UpdateArrays).
struct Memory {
  bool mean = false;
  bool squares = false;
};

/// These arrays in host memory, for one shard; an array that the optimizer does not keep is empty.
struct OptimizerState {
  std::vector<float> mean;
  std::vector<float> squares;
  std::int64_t updates = 0;
};

/// An optimizer. Immutable, so shards may share it; each shard keeps its own state.
struct Optimizer {
  double learning_rate = 0.1;
  Choice<Schedule> schedule{"constant"};    ///< learning rate -> rate of an update
  Choice<StalenessRule> staleness{"none"};  ///< treatment of stale gradients
  std::optional<double> clip;               ///< longest gradient of an update, by Euclidean norm

  virtual ~Optimizer() = default;
  virtual Memory memory() const = 0;
  /// Update number `update` (from 1) of a state, with step size `rate`.
  virtual OptimizerStep step(double rate, std::int64_t update) const = 0;
  /// The arrays that an update reads once more after it has the norms of a layer; 0: it looks at
  /// every weight by itself.
  virtual int reads_again() const { return 0; }

  /// Floats of state per weight.
  int copies() const { return (memory().mean ? 1 : 0) + (memory().squares ? 1 : 0); }
  /// `scale`, reduced where `scale` x the gradient would be longer than `clip`; `squares` is
  /// |gradient|^2.
  float clipped(float scale, double squares) const;

  /// The state of `parameters` weights before their first update.
  OptimizerState start(std::size_t parameters) const;
  /// Writes the updated weights of `from` to `to`, given `scale` x `gradient` (scale is 1 / count
  /// for a sum of gradients) and the step size `rate`. A gradient with a norm above `clip`, taken
  /// over these spans, is shortened to it. All spans have the same size; `to` may be `from`.
  void update(std::span<const float> from, std::span<float> to, std::span<const float> gradient,
              float scale, double rate, OptimizerState& state) const;
};

/// Describes the keys that every optimizer has; each variant's `describe` begins with it.
template <class Kind>
void describe_step(Description<Kind>& d) {
  d.optional("learning_rate", static_cast<double Kind::*>(&Kind::learning_rate),
             "size of a step, before the schedule")
      .above(0);
  d.optional("schedule", static_cast<Choice<Schedule> Kind::*>(&Kind::schedule),
             "change of the learning rate during training");
  d.optional("staleness", static_cast<Choice<StalenessRule> Kind::*>(&Kind::staleness),
             "treatment of stale gradients");
  d.optional("clip", static_cast<std::optional<double> Kind::*>(&Kind::clip),
             "longest gradient (Euclidean norm) of an update; longer ones are shortened to it")
      .above(0.0);
}

const Family<Optimizer>& table_of(const Optimizer*);

/// into += from, element by element; equal sizes.
void accumulate(std::span<float> into, std::span<const float> from);

/// into += weight x from, element by element; equal sizes.
void accumulate(std::span<float> into, std::span<const float> from, float weight);

/// |a|^2, in double.
double squared_norm(std::span<const float> a);

/// |a - b|^2, in double; equal sizes.
double squared_distance(std::span<const float> a, std::span<const float> b);

}  // namespace paceline
