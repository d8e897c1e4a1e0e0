// SPDX-License-Identifier: MIT
/// \file
/// The real training of a point, whatever the clock: its data, arithmetic and evaluation, kept from
/// repeat to repeat.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "training/arithmetic/evaluator.hpp"
#include "training/learning/learning.hpp"
#include "training/setting.hpp"

namespace paceline {

class Trainer {
 public:
  /// `engines`: how many objects do arithmetic on the CPU, one a worker or one for all, or none
  /// where the machine has arithmetic of its own. `process`: this one alone, whose workers' objects
  /// and buffers are all that it has. `setting` must outlive this.
  Trainer(const Setting& setting, int engines, std::optional<int> process = {});

  /// One repeat on the CPU, which has data and initial weights of its own. `plan` must outlive the
  /// result.
  Learning start(const Plan& plan, std::uint32_t repeat);
  /// The buffers alone of a repeat, anywhere. `plan` and `store` must outlive the result.
  Buffers buffers(const Plan& plan, std::uint32_t repeat, ArrayStore& store) const;

  /// What workers draw their items from.
  const Dataset& dataset() const { return *dataset_; }

  /// Runs a repeat by `run` and evaluates the versions that were kept of it, off the clock. Where
  /// the run throws Diverged, the curve ends there and `status` says so.
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
    return curve_of(buffers, repeat, recorder, complete);
  }

  /// A mini-batch's loss above this is the end; empty where nothing is evaluated.
  std::optional<double> loss_bound() const { return loss_bound_; }

 private:
  std::vector<CurvePoint> curve_of(const Buffers& buffers, std::uint32_t repeat,
                                   const Recorder& recorder, bool complete) const;
  UpdateRule update_rule(const Plan& plan) const;
  Evaluator evaluator(std::uint32_t repeat) const;
  std::vector<float> initial(std::uint32_t repeat) const;

  const Setting& setting_;
  std::optional<int> process_;
  Choice<Dataset> dataset_;
  std::vector<std::unique_ptr<WorkerArithmetic>> arithmetic_;
  std::optional<double> loss_bound_;
  std::int64_t keep_every_ = 0;
};

}  // namespace paceline
