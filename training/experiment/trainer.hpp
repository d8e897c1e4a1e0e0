// SPDX-License-Identifier: MIT
/// \file
/// The real training of a point on any clock: its data, arithmetic and evaluation, kept from repeat
/// to repeat.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "training/experiment/setting.hpp"
#include "training/learning/evaluator.hpp"
#include "training/learning/learning.hpp"

namespace paceline {

class Trainer {
 public:
  /// `engines`: the number of objects that do arithmetic on the CPU: one per worker, one for all,
  /// or none if the machine has its own arithmetic. `process`: makes only the objects and buffers
  /// of this process's workers. `setting` must outlive this.
  Trainer(const Setting& setting, int engines, std::optional<int> process = {});

  /// Starts one repeat on the CPU, with its own data and initial weights.
  Learning start(const Plan& plan, std::uint32_t repeat);
  /// The buffers of a repeat without arithmetic, on any machine. `store` must outlive the result.
  Buffers buffers(const Plan& plan, std::uint32_t repeat, ArrayStore& store) const;

  /// The source of the workers' items.
  const Dataset& dataset() const { return *dataset_; }

  /// Calls `run` for a repeat, then evaluates the model versions kept of it; the clock does not
  /// count the evaluation. If `run` throws Diverged, the curve ends there and `status` has its
  /// message. The same holds where a version has a held-out loss that is not finite.
  template <class Run>
  std::vector<CurvePoint> watch(const Buffers& buffers, std::uint32_t repeat,
                                const Recorder& recorder, std::string& status, const Run& run) {
    bool complete = false;
    try {
      run();
      complete = true;
    } catch (const Diverged& diverged) {
      status = diverged.what();
    }
    std::vector<CurvePoint> curve = curve_of(buffers, repeat, recorder, complete);
    if (!complete) return curve;
    const std::string why = cut_where_diverged(curve);
    if (why.empty()) {
      keep_weights(buffers, repeat);
    } else {
      status = why;
    }
    return curve;
  }

  /// A mini-batch loss above this bound ends the training; empty if nothing is evaluated.
  std::optional<double> loss_bound() const { return loss_bound_; }

 private:
  std::vector<CurvePoint> curve_of(const Buffers& buffers, std::uint32_t repeat,
                                   const Recorder& recorder, bool complete) const;
  /// Ends a curve at its first loss that is not finite. Returns the status of the run; "" if all
  /// losses are finite.
  static std::string cut_where_diverged(std::vector<CurvePoint>& curve);
  void keep_weights(const Buffers& buffers, std::uint32_t repeat) const;
  UpdateRule update_rule(const Plan& plan) const;
  BufferPlan declared(const Plan& plan) const;
  Evaluator evaluator(std::uint32_t repeat) const;
  std::vector<float> initial(std::uint32_t repeat) const;
  std::vector<float> drawn_weights(std::uint32_t repeat) const;
  double first_loss() const;

  const Setting& setting_;
  std::optional<int> process_;
  Choice<Dataset> dataset_;
  std::vector<std::unique_ptr<WorkerArithmetic>> arithmetic_;
  std::optional<double> loss_bound_;
  std::int64_t keep_every_ = 0;
};

}  // namespace paceline
