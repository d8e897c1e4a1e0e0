// SPDX-License-Identifier: MIT
/// \file
/// Networks of fully connected layers only, small enough to train on any computer.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/containers.hpp"
#include "models/network_kind.hpp"

namespace paceline {

/// **Does** one fully connected layer and softmax: softmax regression, a convex loss.
struct SoftmaxRegression final : NetworkKind {
  int inputs = 32;
  int classes = 10;

  static void describe(Description<SoftmaxRegression>& d);
  Network make(const Location& at, Diagnostics& diagnostics) const override;
};

/// **Does** one fully connected layer with one output and half its squared error: linear
/// regression, a quadratic loss.
struct Linear final : NetworkKind {
  int inputs = 32;
  bool bias = true;

  static void describe(Description<Linear>& d);
  Network make(const Location& at, Diagnostics& diagnostics) const override;
};

/// **Does** fully connected layers with ReLU between them.
struct Mlp final : NetworkKind {
  int inputs = 32;
  std::vector<int> hidden{256, 256};
  int classes = 10;

  static void describe(Description<Mlp>& d);
  std::string invalid() const;
  Network make(const Location& at, Diagnostics& diagnostics) const override;
};
}  // namespace paceline
