// SPDX-License-Identifier: MIT
/// \file
/// The theory of an update policy in the notation of an experiment file.
#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include "experiments/language/yaml.hpp"
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {

/// Empty if the policy has no theory for such workers.
inline std::optional<Theory> theory_of(const std::string& update, int workers, Seconds compute,
                                       const Stragglers& stragglers) {
  Diagnostics diagnostics;
  Choice<UpdatePolicy> policy;
  Value<Choice<UpdatePolicy>>::read(policy, parse_yaml("update", update), diagnostics);
  diagnostics.throw_if_any();
  const auto timed = TimedWorkers::of(workers, compute, stragglers);
  return timed ? policy->theory(*timed) : std::nullopt;
}

/// The policy with this `k`, if it has this key: "{kind: k-sync, k: 4}", "async".
inline std::string with_k(const std::string& policy, int k) {
  const std::vector<KeyInfo> keys = family<UpdatePolicy>().find(policy)->keys();
  const bool has_k =
      std::any_of(keys.begin(), keys.end(), [](const KeyInfo& key) { return key.name == "k"; });
  return has_k ? "{kind: " + policy + ", k: " + std::to_string(k) + "}" : policy;
}

}  // namespace paceline
