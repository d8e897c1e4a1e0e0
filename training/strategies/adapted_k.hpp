// SPDX-License-Identifier: MIT
/// \file
/// How many gradients an update should wait for, given how far the loss has fallen (AdaSync).
///
/// The bound on the loss after a time t, 2 F / (eta t) E[T] + eta L s^2 / (K m), is least where its
/// slopes in K cancel. With E[T] = K / (P mu), of the batch policies, that is K^2 proportional to
/// 1 / F; with E[T] = ln(P / (P - K)) / mu, of k-async, it is K^2 / (P - K) proportional to 1 / F.
/// After Dutta et al., arXiv:2003.10579, for exponential times; F is the loss above its optimum.
#pragma once
#include "training/policies/update_policy.hpp"

namespace paceline {

/// K for a loss of `now`, given that it was rule.gradients at a loss of `first`: between
/// rule.gradients and `workers`. Losses are above the optimum; one that is not positive asks for
/// all workers.
int adapted_k(const Rule& rule, int workers, double first, double now);

}  // namespace paceline
