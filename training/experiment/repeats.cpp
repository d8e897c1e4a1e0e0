// SPDX-License-Identifier: MIT
#include "training/experiment/repeats.hpp"

#include "training/experiment/memory_of_point.hpp"
#include "training/workload/random/draw.hpp"

namespace paceline {

Target target_of(const Train& train) {
  Target target;
  target.loss = train.target_loss;
  if (train.target_accuracy) target.accuracy = train.target_accuracy->fraction;
  return target;
}

Measurement measure_repeats(const Setting& setting, bool keep_steps, const RunOnce& run_once) {
  std::vector<Measurement> repeats;
  std::vector<Samples> samples;
  Counting counting = setting.counting;
  counting.keep_steps = keep_steps;
  const Experiment& experiment = setting.point->experiment;
  for (int repeat = 0; repeat < experiment.repeats; ++repeat) {
    counting.data_seed = seed_of_repeat(experiment.seed, static_cast<std::uint32_t>(repeat));
    Recorder recorder(counting);
    std::string status = "ok";
    const bool traced = setting.spans != nullptr && repeat == 0;
    if (traced) setting.spans->follow(recorder);
    std::vector<CurvePoint> curve = run_once(static_cast<std::uint32_t>(repeat), recorder, status);
    if (traced) setting.spans->finish();
    repeats.push_back(recorder.result());
    repeats.back().status = status;
    repeats.back().curve = std::move(curve);
    if (experiment.train) judge_curve(repeats.back(), target_of(*experiment.train));
    samples.push_back(recorder.samples());
  }
  const double gradients = counting.gradients_per_update;
  Measurement joined = join_repeats(repeats, samples, gradients * counting.items_per_gradient);
  if (experiment.train) joined.optimal_loss = setting.plan.optimal_loss;
  joined.memory_bytes_peak = memory_of(*setting.point).value();
  return joined;
}

}  // namespace paceline
