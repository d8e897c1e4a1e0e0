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
#include "training/workload/lengths/batch_lengths.hpp"

namespace paceline {

class WorkerArithmetic {
 public:
  /// `network` and `dataset` must outlive this. `lengths`: of sequences of unequal length; null:
  /// all items have the network's shape. Throws std::runtime_error for a layer that the CPU cannot
  /// compute.
  WorkerArithmetic(const Network& network, int batch, const Dataset& dataset, std::uint64_t seed,
                   std::shared_ptr<const BatchLengths> lengths = nullptr);

  /// Makes validation passes possible, of `batch` items.
  void validate_on(int batch);

  /// Draws from another seed from now on.
  void reseed(std::uint64_t seed) { seed_ = seed; }
  std::int32_t layers() const { return static_cast<std::int32_t>(network_.layers.size()); }
  /// Runs a range of layers of a mini-batch; the first layer forward draws it. Workers may use one
  /// object in turn, a whole mini-batch at a time.
  void compute(LayerRange layers, WorkId work, std::span<const float> weights,
               std::span<float> gradient, const std::function<bool()>& stop);

  /// Runs a range of layers of validation batch number `number` of a worker: the first layer draws
  /// items that no worker trains on. Between the passes of a mini-batch it changes nothing.
  void validate(LayerRange layers, RoleId worker, std::int64_t number,
                std::span<const float> weights, const std::function<bool()>& stop);

  /// Mean loss of the last mini-batch that went forward to its end; NaN before.
  double last_loss() const { return last_loss_; }

 private:
  void draw(WorkId work);
  void draw_sequences(WorkId work);
  Arithmetic& arithmetic_of(std::size_t shape);

  const Network& network_;
  const Dataset& dataset_;
  std::uint64_t seed_;
  std::shared_ptr<const BatchLengths> lengths_;
  std::vector<std::unique_ptr<Arithmetic>> by_shape_;  ///< null: not needed yet
  Arithmetic* arithmetic_ = nullptr;                   ///< of the mini-batch under way
  std::vector<int> own_;                               ///< by item: positions that are not padding
  std::vector<double> ranks_;                          ///< by item
  std::unique_ptr<Arithmetic> validation_;             ///< null: there are no validation passes
  std::vector<float> inputs_, validation_inputs_;
  std::vector<float> targets_, validation_targets_;
  double last_loss_;
};

}  // namespace paceline
