// SPDX-License-Identifier: MIT
#include "training/learning/losses/cross_entropy.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace paceline {

CrossEntropy::CrossEntropy(int batch, int classes)
    : classes_(static_cast<std::size_t>(classes)),
      labels_(static_cast<std::size_t>(batch)),
      probabilities_(labels_.size() * classes_) {}

void CrossEntropy::load(std::span<const float> targets) {
  if (targets.size() != labels_.size()) throw std::invalid_argument("not a label for each item");
  const auto classes = static_cast<float>(classes_);
  for (const float target : targets) {
    const bool is_class = target >= 0 && target < classes && std::floor(target) == target;
    if (!is_class) throw std::invalid_argument("a label that is no class");
  }
  std::transform(targets.begin(), targets.end(), labels_.begin(),
                 [](float target) { return static_cast<std::size_t>(target); });
}

void CrossEntropy::forward(std::span<const float> logits) {
  double loss = 0;
  std::size_t correct = 0;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const std::span<const float> row = logits.subspan(i * classes_, classes_);
    const std::span<float> p = std::span(probabilities_).subspan(i * classes_, classes_);
    const std::size_t label = labels_[i];
    const auto largest = std::max_element(row.begin(), row.end());
    double sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      p[c] = std::exp(row[c] - *largest);  // minus the largest, so that exp does not overflow
      sum += static_cast<double>(p[c]);
    }
    for (float& value : p) value = static_cast<float>(static_cast<double>(value) / sum);
    loss += std::log(sum) - (static_cast<double>(row[label]) - static_cast<double>(*largest));
    if (largest == row.begin() + static_cast<std::ptrdiff_t>(label)) ++correct;
  }
  const auto items = static_cast<double>(labels_.size());
  loss_ = loss / items;
  accuracy_ = static_cast<double>(correct) / items;
}

void CrossEntropy::backward(std::span<float> gradient) const {
  const float share = 1.0f / static_cast<float>(labels_.size());
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const std::size_t label = labels_[i];
    for (std::size_t c = 0; c < classes_; ++c) {
      const float target = c == label ? 1.0f : 0.0f;
      gradient[i * classes_ + c] = (probabilities_[i * classes_ + c] - target) * share;
    }
  }
}

}  // namespace paceline
