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
#include "training/metrics/recorder.hpp"
#include "training/trace/span_recorder.hpp"
#include "training/workload.hpp"

namespace paceline {

struct Setting {
  const ExperimentPoint* point = nullptr;
  std::shared_ptr<const Machine> machine;  ///< `this` resolved by its profile
  Plan plan;                               ///< without delays and observer: a repeat adds them
  std::vector<int> places;                 ///< the machine's vertex of every role
  Costs costs;
  LayerTimes layer_times;  ///< where those of `costs` come from
  Counting counting;
  SpanRecorder* spans = nullptr;  ///< told of the first repeat; null: nobody wants a trace

  /// The plan of a repeat, reporting to `observer`.
  Plan plan_of(std::uint32_t repeat, Observer* observer) const;
  /// The costs of a repeat.
  Costs costs_of(std::uint32_t repeat) const;
};

/// Makes `point` ready. `profile` is what was measured of this computer; null where the machine is
/// a described one. Throws std::runtime_error when a figure is missing, SpecError when a batch does
/// not fit.
Setting make_setting(const ExperimentPoint& point, const Profile* profile);

/// Makes `point` on `machine: this` ready where its workers are this computer's GPUs: the machine
/// is that which `profile` measured. Throws likewise.
Setting make_setting_on_gpus(const ExperimentPoint& point, const Profile& profile);

/// Makes `point` ready for a real clock alone, on a computer of which nothing was measured: no
/// costs and all roles at one place.
Setting make_setting_without_costs(const ExperimentPoint& point);

Target target_of(const Train& train);

/// One repeat on some clock: reports to the recorder and returns the held-out curve, if it trains.
/// Sets `status` where the repeat ended before its time.
using RunOnce =
    std::function<std::vector<CurvePoint>(std::uint32_t repeat, Recorder&, std::string& status)>;

/// Runs every repeat of a point and joins them.
Measurement measure_repeats(const Setting& setting, bool keep_steps, const RunOnce& run_once);

/// Peak memory of a worker.
Bytes memory_of(const ExperimentPoint& point);

/// What theory says of the point where nothing but compute and delays cost time; blank columns
/// where no closed form holds.
Measurement theory_of(const Setting& setting);

}  // namespace paceline
