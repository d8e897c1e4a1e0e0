// SPDX-License-Identifier: MIT
#include "training/strategies/adapted_k.hpp"

#include <algorithm>
#include <cmath>

namespace paceline {

int adapted_k(const Rule& rule, int workers, double first, double now) {
  if (!(now > 0)) return workers;
  const double fall = std::max(1.0, first / now);
  const double k = rule.gradients;
  double next = k * std::sqrt(fall);
  if (!rule.goes_on) {
    // x^2 / (P - x) = c has one root in (0, P); at K = P already it stays there
    const double all = workers;
    if (k >= all) return workers;
    const double c = k * k / (all - k) * fall;
    next = (std::sqrt(c * c + 4 * c * all) - c) / 2;
  }
  return std::clamp(static_cast<int>(std::lround(next)), rule.gradients, workers);
}

void AdaptiveK::note_loss(double loss) {
  if (!changes()) return;
  loss_sum_ += loss;
  ++losses_;
}

void AdaptiveK::choose(int alive) {
  const double loss = loss_sum_ / static_cast<double>(losses_);
  loss_sum_ = 0;
  losses_ = 0;
  if (first_loss_ == 0) first_loss_ = loss;
  k_ = std::min(alive, std::max(k_, adapted_k(rule_, workers_, first_loss_, loss)));
}

void AdaptiveK::limit(int most) {
  k_ = std::max(1, std::min(k_, most));
}

}  // namespace paceline
