// SPDX-License-Identifier: MIT
/// \file
/// Softmax and cross-entropy: the loss of a classifier.
#pragma once
#include <cstddef>
#include <vector>

#include "training/learning/losses/loss.hpp"

namespace paceline {

/// See Loss. A target is the index of a class.
class CrossEntropy final : public Loss {
 public:
  /// Allocates room for `batch` items of `classes` logits each.
  CrossEntropy(int batch, int classes);
  /// Requires batch targets, each a whole number in [0, classes).
  void load(std::span<const float> targets) override;
  void forward(std::span<const float> logits) override;
  void backward(std::span<float> gradient) const override;
  double loss() const override { return loss_; }
  /// Share of the items with the largest logit (the first of equals) at their label.
  double accuracy() const override { return accuracy_; }

 private:
  std::size_t classes_;
  std::vector<std::size_t> labels_;
  std::vector<float> probabilities_;
  double loss_ = 0;
  double accuracy_ = 0;
};

}  // namespace paceline
