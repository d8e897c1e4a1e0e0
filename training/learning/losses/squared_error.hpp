// SPDX-License-Identifier: MIT
/// \file
/// Half the squared error: the loss of a network that predicts a value.
#pragma once
#include <vector>

#include "training/learning/losses/loss.hpp"

namespace paceline {

/// See Loss. The mean over the items of (output - target)^2 / 2, with one output per item.
class SquaredError final : public Loss {
 public:
  explicit SquaredError(int batch);
  /// Requires batch targets, each finite.
  void load(std::span<const float> targets) override;
  void forward(std::span<const float> outputs) override;
  void backward(std::span<float> gradient) const override;
  double loss() const override { return loss_; }
  double accuracy() const override;

 private:
  std::vector<float> targets_;
  std::vector<float> errors_;  ///< output - target
  double loss_ = 0;
};

}  // namespace paceline
