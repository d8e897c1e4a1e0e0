// SPDX-License-Identifier: MIT
/// \file
/// A point made ready for a clock: the plan its roles follow, where they stand, and (for the
/// simulated clock) what things cost. The same plan goes to every clock.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "training/costs.hpp"
#include "training/experiment_file.hpp"
#include "training/host_profile.hpp"
#include "training/metrics/recorder.hpp"

namespace paceline {

struct Setting {
  const ExperimentPoint* point = nullptr;
  std::shared_ptr<const Machine> machine;  ///< `this` resolved by its profile
  Plan plan;                               ///< without delays and observer: a repeat adds them
  std::vector<int> places;                 ///< the machine's vertex of every role
  Costs costs;
  Counting counting;

  /// The plan of a repeat, reporting to `observer`.
  Plan plan_of(std::uint32_t repeat, Observer* observer) const;
  /// The costs of a repeat.
  Costs costs_of(std::uint32_t repeat) const;
};

/// Makes `point` ready. `profile` is what was measured of this computer; null where the machine is
/// a described one. Throws std::runtime_error when a figure is missing, SpecError when a batch does
/// not fit.
Setting make_setting(const ExperimentPoint& point, const HostProfile* profile);

/// Runs every repeat of a point on some clock and joins them. `run_once` reports to the recorder
/// and returns the loss it ends with, where the clock has one.
Measurement measure_repeats(
    const Setting& setting, bool keep_steps,
    const std::function<std::optional<double>(std::uint32_t, Recorder&)>& run_once);

/// Peak memory of a worker.
Bytes memory_of(const ExperimentPoint& point);

/// What theory says of the point where nothing but compute and delays cost time; blank columns
/// where no closed form holds.
Measurement theory_of(const Setting& setting);

}  // namespace paceline
