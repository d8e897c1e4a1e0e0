// SPDX-License-Identifier: MIT
/// \file
/// The number of gradients that an update should take once the loss has fallen (AdaSync).
///
/// The bound on the loss after a time t, 2 F / (eta t) E[T] + eta L s^2 / (K m), is least where its
/// slopes in K cancel. With E[T] = K / (P mu), of the batch policies, that is K^2 proportional to
/// 1 / F; with E[T] = ln(P / (P - K)) / mu, of k-async, it is K^2 / (P - K) proportional to 1 / F.
/// After Dutta et al., arXiv:2003.10579, for exponential times; F is the loss above its optimum.
#pragma once
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {

/// K for a loss of `now`, given that it was rule.gradients at a loss of `first`: between
/// rule.gradients and `workers`. Losses are measured from the optimum; one that is not positive
/// gives all workers.
int adapted_k(const Rule& rule, int workers, double first, double now);

/// K during a run, chosen again every `adaptation.window` updates from the mean loss of the
/// mini-batches since the last choice; or the rule's own, where the rule does not adapt it.
class AdaptiveK {
 public:
  AdaptiveK(const Rule& rule, int workers) : rule_(rule), workers_(workers), k_(rule.gradients) {}

  bool changes() const { return rule_.adaptation.window > 0; }
  int now() const { return k_; }
  /// `loss`: of a mini-batch, above the optimum.
  void note_loss(double loss);
  /// Whether K is chosen again after the update that made `version`.
  bool is_due(std::int64_t version) const {
    return changes() && version % rule_.adaptation.window == 0 && losses_ > 0;
  }
  /// Requires that it is due. `alive`: number of workers alive.
  void choose(int alive);
  /// Lowers K to at most `most`, and at least 1.
  void limit(int most);

 private:
  const Rule rule_;
  int workers_;
  int k_;
  double loss_sum_ = 0;  ///< since K was last chosen
  std::int64_t losses_ = 0;
  double first_loss_ = 0;
};

}  // namespace paceline
