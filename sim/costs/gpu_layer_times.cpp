// SPDX-License-Identifier: MIT
#include "training/gpu_layer_times.hpp"

namespace paceline {

std::vector<LayerTime> times_of_layers(Setting& setting, const GpuSpec& gpu,
                                       const NetworkProfile* measured, const Profile* profile) {
  const ExperimentPoint& point = *setting.point;
  const Experiment& experiment = point.experiment;
  if (experiment.layer_times == LayerTimesRule::roofline) measured = nullptr;
  std::vector<LayerTime> times =
      layer_times(*point.network, experiment.batch, experiment.precision, gpu, measured);
  setting.layer_times = source_of(times, profile == nullptr ? "" : profile->measured);
  const bool here = setting.layer_times.source == LayerTimes::Source::measured;
  if (!point.one_worker || (here && point.one_worker->shipped)) return times;
  scale_to(times, Seconds{experiment.batch / point.one_worker->throughput});
  setting.layer_times = {LayerTimes::Source::published, point.one_worker->sentence};
  return times;
}

void slow_by_gpu(Setting& setting) {
  const ExperimentPoint& point = *setting.point;
  const Machine& machine = *setting.machine;
  if (machine.kind() != Machine::Kind::described || point.experiment.devices) return;
  const auto step_on = [&](const GpuSpec& gpu) {
    return step_time(layer_times(*point.network, point.experiment.batch, point.experiment.precision,
                                 gpu, nullptr));
  };
  const GpuSpec& first = machine.gpu(0);
  bool differ = false;
  for (int worker = 1; worker < setting.plan.workers; ++worker) {
    const GpuSpec& gpu = machine.gpu(worker);
    if (gpu.name == first.name) continue;
    const Seconds base = step_on(first);
    if (base <= Seconds{}) return;
    setting.costs.slowdown[static_cast<std::size_t>(worker)] *= step_on(gpu) / base;
    differ = true;
  }
  if (differ) {
    setting.layer_times.sentence +=
        "; workers on other GPUs than " + first.name + " by the ratio of their rooflines";
  }
}

}  // namespace paceline
