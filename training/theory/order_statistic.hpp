// SPDX-License-Identifier: MIT
/// \file
/// The time of the K-th fastest of P workers: E[X_{K:P}], the expected K-th smallest of P
/// independent mini-batch times. It is the run time of the synchronous policies.
#pragma once
#include <optional>

#include "training/theory/step_time.hpp"

namespace paceline {

/// E[X_{k:n}] of n independent draws of `x`, by quadrature, to about 1e-10 of its value, or 1e-8
/// where `x` has corners. Empty where the expectation does not exist, as for the slowest of n
/// Pareto times of shape <= 1, and for more than 200,000 corners, which would take seconds.
/// Requires 1 <= k <= n.
std::optional<Seconds> expected_order_statistic(const StepTime& x, int k, int n);

}  // namespace paceline
