// SPDX-License-Identifier: MIT
#include "training/learning/losses/squared_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace paceline {

SquaredError::SquaredError(int batch)
    : targets_(static_cast<std::size_t>(batch)), errors_(targets_.size()) {}

void SquaredError::load(std::span<const float> targets) {
  if (targets.size() != targets_.size()) throw std::invalid_argument("not a target for each item");
  for (const float target : targets) {
    if (!std::isfinite(target)) throw std::invalid_argument("a target that is no number");
  }
  std::copy(targets.begin(), targets.end(), targets_.begin());
}

void SquaredError::forward(std::span<const float> outputs) {
  double sum = 0;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    errors_[i] = outputs[i] - targets_[i];
    sum += static_cast<double>(errors_[i]) * static_cast<double>(errors_[i]);
  }
  loss_ = sum / (2 * static_cast<double>(targets_.size()));
}

void SquaredError::backward(std::span<float> gradient) const {
  const float share = 1.0f / static_cast<float>(targets_.size());
  for (std::size_t i = 0; i < targets_.size(); ++i) gradient[i] = errors_[i] * share;
}

double SquaredError::accuracy() const {
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace paceline
