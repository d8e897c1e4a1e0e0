// SPDX-License-Identifier: MIT
/// \file
/// Linear regression on normal inputs: a strongly convex, quadratic loss with a known optimum and
/// Hessian, so that training can be compared with theory.
#pragma once
#include <vector>

#include "training/learning/datasets/dataset.hpp"
#include "training/learning/datasets/truth_cache.hpp"

namespace paceline {

/// **Does** target = w* . x + noise. The inputs are independent normals of mean 0 with variances
/// that fall geometrically from 1 to 1 / `condition`; the noise is normal of deviation `noise`;
/// each element of w* is standard normal and follows from the seed. The Hessian of the expected
/// loss is the diagonal matrix of these variances (and 1 for a bias), so `condition` is its
/// condition number. The expected loss of weights w and bias b is (sum of variance_i (w_i - w*_i)^2
/// + b^2 + noise^2) / 2; the least one is noise^2 / 2.
struct LeastSquares final : Dataset {
  double noise = 1;
  double condition = 10;

  static void describe(Description<LeastSquares>& d);
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override;
  std::optional<double> exact_loss(const Network& network, std::uint64_t seed,
                                   std::span<const float> weights) const override;
  double optimal_loss() const override { return noise * noise / 2; }
  std::string unfit(const Network& network) const override;

  /// The variance of each of `inputs` inputs: the Hessian's eigenvalues, largest first.
  std::vector<double> spectrum(std::int64_t inputs) const;
  /// The weights w* of the least loss, without the bias.
  std::vector<float> optimum(const Shape& input, std::uint64_t seed) const;

 private:
  struct Truth {
    std::vector<float> deviations;  ///< of the inputs
    std::vector<float> optimum;
  };
  std::shared_ptr<const Truth> truth(const Shape& input, std::uint64_t seed) const;

  TruthCache<Truth> truth_;
};

}  // namespace paceline
