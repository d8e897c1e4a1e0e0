// SPDX-License-Identifier: MIT
/// \file
/// Steps of layer-wise optimizers. The rate of a layer follows from two norms over all of its
/// weights, so that an update looks at each weight twice: `measure` gives a number and, where the
/// optimizer has them, moves the weight's moments; `ratio` makes one factor of the norms of the
/// weights and of these numbers; `apply` computes the new weight. On the CPU and on GPUs.
#pragma once
#include <cmath>

#include "training/learning/host_and_device.hpp"

namespace paceline {

template <class Step>
concept LayerwiseStep = requires(const Step step, float x, double squares) {
  step.measure(x, x, x, x, x);
  step.ratio(squares, squares);
  step.apply(x, x, x, x, x, x);
};

/// LAMB's update of one weight.
struct LambStep {
  float keep_mean = 0;     ///< beta1
  float keep_squares = 0;  ///< beta2
  float mean = 0;          ///< 1 / (1 - beta1^t)
  float root = 0;          ///< 1 / sqrt(1 - beta2^t)
  float least = 0;         ///< epsilon, added to the root
  float decay = 0;         ///< share of the weight in the direction
  float rate = 0;

  static constexpr bool kMean = true, kSquares = true;
  PACELINE_ANYWHERE float direction(float w, float m, float s) const {
    return mean * m / (root * std::sqrt(s) + least) + decay * w;
  }
  /// Updates the moments `m` and `s` with the gradient `scale` x `g`; the step before its rate.
  PACELINE_ANYWHERE float measure(float scale, float w, float g, float& m, float& s) const {
    const float gradient = scale * g;
    m = keep_mean * m + (1 - keep_mean) * gradient;
    s = keep_squares * s + (1 - keep_squares) * gradient * gradient;
    return direction(w, m, s);
  }
  /// |w| / |u| of the squares of both; 1 where one is 0.
  PACELINE_ANYWHERE float ratio(double weights, double directions) const {
    if (!(weights > 0 && directions > 0)) return 1;
    return static_cast<float>(std::sqrt(weights / directions));
  }
  PACELINE_ANYWHERE float apply(float ratio, float /*scale*/, float w, float /*g*/, float& m,
                                float& s) const {
    return w - rate * ratio * direction(w, m, s);
  }
};

/// The update of one weight by LARS.
struct LarsStep {
  float keep = 0;   ///< share of the velocity kept
  float decay = 0;  ///< share of the weight in the direction
  float trust = 0;  ///< eta, the longest move of a layer / |w|, at a rate of 1
  float rate = 0;

  static constexpr bool kMean = true, kSquares = false;
  PACELINE_ANYWHERE float measure(float scale, float /*w*/, float g, float& /*v*/,
                                  float& /*squares*/) const {
    return scale * g;
  }
  /// eta |w| / (|g| + decay |w|) of the squares of both norms; 1 where one is 0.
  PACELINE_ANYWHERE float ratio(double weights, double gradients) const {
    if (!(weights > 0 && gradients > 0)) return 1;
    const double w = std::sqrt(weights);
    return static_cast<float>(trust * w / (std::sqrt(gradients) + decay * w));
  }
  PACELINE_ANYWHERE float apply(float ratio, float scale, float w, float g, float& v,
                                float& /*squares*/) const {
    v = keep * v + rate * ratio * (scale * g + decay * w);
    return w - v;
  }
};

}  // namespace paceline
