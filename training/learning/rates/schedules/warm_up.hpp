// SPDX-License-Identifier: MIT
/// \file
/// The start of a schedule: its full rate, and the ramp up to it.
#pragma once
#include <optional>

#include "training/learning/rates/schedule.hpp"

namespace paceline {

/// The linear scaling rule and gradual warm-up, which schedules other than constant share. The full
/// rate is learning_rate x items of an update / `reference_batch`, or learning_rate itself without
/// one. During `warmup` the rate rises linearly to the full one: from learning_rate under linear
/// scaling, else from 0. **Source** Goyal et al., "Accurate, large minibatch SGD", 2017, section 2.
struct WarmUp {
  std::optional<int> reference_batch;
  std::optional<Length> warmup;

  /// The rate of the ramp; a schedule may lower it further.
  double reached(double learning_rate, const Progress& progress) const;
  bool in_epochs() const { return warmup && warmup->epochs != 0; }
};

/// Describes the key `warmup`.
template <class Kind>
void describe_warmup(Description<Kind>& d) {
  d.optional("warmup", static_cast<std::optional<Length> Kind::*>(&Kind::warmup),
             "rounds or epochs in which the rate rises to its full value")
      .at_least(Length{});
}

/// Describes the keys `reference_batch` and `warmup`.
template <class Kind>
void describe_scaling(Description<Kind>& d) {
  d.optional("reference_batch", static_cast<std::optional<int> Kind::*>(&Kind::reference_batch),
             "items of an update that learning_rate is meant for; the rate grows with them")
      .at_least(1);
  describe_warmup(d);
}

}  // namespace paceline
