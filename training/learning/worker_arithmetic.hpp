// SPDX-License-Identifier: MIT
/// \file
/// A worker's real arithmetic: it draws a mini-batch, then runs layers forward and backward, and
/// stops between two layers on request.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/learning/datasets/dataset.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class WorkerArithmetic {
 public:
  /// `network` and `dataset` must outlive this. Throws std::runtime_error for a layer that the CPU
  /// cannot compute.
  WorkerArithmetic(const Network& network, int batch, const Dataset& dataset, std::uint64_t seed);

  /// Draws from another seed from now on.
  void reseed(std::uint64_t seed) { seed_ = seed; }
  std::int32_t layers() const { return static_cast<std::int32_t>(network_.layers.size()); }
  /// Runs a range of layers of a mini-batch; the first layer forward draws it. Workers may use one
  /// object in turn, a whole mini-batch at a time.
  void compute(LayerRange layers, WorkId work, std::span<const float> weights,
               std::span<float> gradient, const std::function<bool()>& stop);

  /// Mean loss of the last mini-batch that went forward to its end; NaN before.
  double last_loss() const { return last_loss_; }

 private:
  const Network& network_;
  const Dataset& dataset_;
  std::uint64_t seed_;
  std::unique_ptr<Arithmetic> arithmetic_;
  std::vector<float> inputs_;
  std::vector<float> targets_;
  double last_loss_;
};

}  // namespace paceline
