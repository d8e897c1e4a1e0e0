// SPDX-License-Identifier: MIT
/// \file
/// Softmax and cross-entropy: the loss at the end of every network that trains.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace paceline {

/// The loss of one mini-batch and its gradient. Sums are in double, in the order of the items.
class CrossEntropy {
 public:
  /// Room for `batch` items of `classes` logits each.
  CrossEntropy(int batch, int classes);
  /// Requires batch labels, each in [0, classes).
  void load(std::span<const std::int32_t> labels);
  /// Takes the logits, [batch x classes] row after row.
  void forward(std::span<const float> logits);
  /// Writes the gradient of the mean loss with respect to the logits.
  void backward(std::span<float> gradient) const;
  double loss() const { return loss_; }
  /// Share of items whose largest logit, the first of equals, is at their label.
  double accuracy() const { return accuracy_; }

 private:
  std::size_t classes_;
  std::vector<std::int32_t> labels_;
  std::vector<float> probabilities_;
  double loss_ = 0;
  double accuracy_ = 0;
};

}  // namespace paceline
