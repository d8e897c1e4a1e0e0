// SPDX-License-Identifier: MIT
/// \file
/// E[X_{K:P}] of independent workers with different distributions, because some have a slowdown.
#pragma once
#include <optional>
#include <span>

#include "training/theory/step_time.hpp"

namespace paceline {

/// `count` workers with equal distributions of the mini-batch time.
struct AlikeWorkers {
  StepTime x;
  int count = 1;
};

/// The expected time until `k` of all workers in `groups` are done, by quadrature, to about 1e-8 of
/// its value. Empty where the expectation does not exist. Requires 1 <= k <= the number of workers.
std::optional<Seconds> expected_time_of_first(int k, std::span<const AlikeWorkers> groups);

}  // namespace paceline
