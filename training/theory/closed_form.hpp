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
#include "training/policies/update_policy.hpp"
#include "training/stragglers/stragglers.hpp"

namespace paceline {

/// Who waits for whom: a policy and its keys. What a policy does not have is ignored.
struct Waiting {
  std::string_view policy;
  int workers = 1;  ///< P
  int k = 1;  ///< gradients waited for, 1 to P; sync waits for P, async for 1, whatever it says
  std::optional<int> slack{};        ///< of ssp
  std::optional<int> local_steps{};  ///< of local-sgd: steps between two averages
  std::optional<int> push_every{};   ///< of downpour: mini-batches between two pushes
};

/// What theory asks of `rule`, the rule of `policy` for so many workers.
Waiting waiting_of(std::string_view policy, const Rule& rule, int workers);

/// What is expected of a policy in the long run.
struct Theory {
  Seconds iteration;                  ///< between two updates of the model
  bool bound = false;                 ///< `iteration` is an upper bound
  std::optional<double> staleness{};  ///< mean over the gradients applied, in updates
  std::optional<double> fresh{};      ///< share of them whose staleness is 0
};

/// The theory of a policy whose workers' arithmetic takes `compute` where nothing slows it down.
/// Empty for a policy without closed form, where a key that it needs is not given, where workers
/// fail, and where the expectation does not exist. Requires 1 <= k <= workers.
std::optional<Theory> theory(const Waiting& waiting, Seconds compute, const Stragglers& stragglers);

}  // namespace paceline
