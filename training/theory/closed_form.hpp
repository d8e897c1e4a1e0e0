// SPDX-License-Identifier: MIT
/// \file
/// What theory says of a policy when communication is free: the expected time between two updates
/// and the mean staleness. The report draws it beside prediction and measurement.
///
/// Sources: Dutta et al., AISTATS 2018, arXiv:1803.01113 and arXiv:2003.10579; the staleness by
/// Little's law. docs/model.md has the derivations.
#pragma once
#include <optional>
#include <string_view>

#include "experiments/units.hpp"
#include "training/stragglers/stragglers.hpp"

namespace paceline {

/// What is expected of a policy in the long run.
struct Theory {
  Seconds iteration;     ///< between two updates of the model
  bool bound = false;    ///< `iteration` is an upper bound
  double staleness = 0;  ///< mean over the gradients applied, in updates
};

/// The theory of `policy` for P workers of which K are waited for, whose arithmetic takes `compute`
/// where nothing slows it down. K is ignored by sync (P) and async (1). Empty for a policy without
/// closed form, and where the expectation does not exist. Requires 1 <= waited_for <= workers.
std::optional<Theory> theory(std::string_view policy, int workers, int waited_for, Seconds compute,
                             const Stragglers& stragglers);

}  // namespace paceline
