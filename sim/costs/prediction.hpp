// SPDX-License-Identifier: MIT
/// \file
/// A point made ready for the simulator: its setting on a machine, and the costs there.
#pragma once
#include <optional>
#include <vector>

#include "sim/costs/costs.hpp"
#include "sim/costs/layer_times.hpp"
#include "training/experiment/setting.hpp"
#include "training/profile/profile.hpp"
#include "training/results/published/cost_row.hpp"

namespace paceline {

struct Prediction : Setting {
  Costs costs;
  LayerTimes layer_times;  ///< the source of the times in `costs`
  /// The published row that the arithmetic must still be scaled to; empty: no scaling is needed.
  std::optional<CostRow> to_match;
  std::vector<Prediction> beside;  ///< the jobs that share the machine meanwhile
  bool by_events = false;          ///< nothing is folded, and nothing worked out ahead

  Prediction() = default;
  explicit Prediction(Setting setting) : Setting(std::move(setting)) {}

  /// The plan of a repeat, reporting to `observer`. Arithmetic takes the time in `costs`.
  Plan plan_of(std::uint32_t repeat, Observer* observer) const;
  /// The costs of a repeat.
  Costs costs_of(std::uint32_t repeat) const;
};

/// Makes `point` ready. `profile` holds the measurements of this computer; null where the machine
/// is a described one. Throws std::runtime_error if a figure is missing, SpecError if a batch does
/// not fit.
Prediction make_prediction(const ExperimentPoint& point, const Profile* profile);

/// Makes a point on `machine: this` ready where its workers are this computer's GPUs: the machine
/// is the one that `profile` measured. Throws as make_prediction() does.
Prediction make_prediction_on_gpus(const ExperimentPoint& point, const Profile& profile);

}  // namespace paceline
