// SPDX-License-Identifier: MIT
#include "sim/costs/gpu_layer_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include <boost/math/special_functions/erf.hpp>

#include "sim/costs/calibrating_row.hpp"
#include "training/experiment/described_gpus.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

std::vector<LayerTime> times_of_layers(Prediction& prediction, const GpuSpec& gpu,
                                       const NetworkProfile* measured, const Profile* profile) {
  const ExperimentPoint& point = *prediction.point;
  const Experiment& experiment = point.experiment;
  if (experiment.layer_times == LayerTimesRule::roofline) measured = nullptr;
  std::vector<LayerTime> times = layer_times(*point.network, step_on_gpu(point), gpu, measured);
  prediction.layer_times = source_of(times, profile == nullptr ? "" : profile->measured);
  const bool here = prediction.layer_times.source == LayerTimes::Source::measured;
  const std::optional<CostRow> row = calibrating_row(point);
  if (!row || (here && row->shipped)) return times;
  scale_to(times, Seconds{experiment.batch / row->throughput});
  prediction.layer_times = {LayerTimes::Source::published, row->sentence};
  prediction.to_match = row;
  return times;
}

std::vector<Seconds> validation_times(const Prediction& prediction, const GpuSpec& gpu,
                                      const Profile* profile) {
  const std::optional<ExperimentPoint> validation = validation_of(*prediction.point);
  if (!validation) return {};
  const Network& network = *validation->network;
  const bool estimates = validation->experiment.layer_times == LayerTimesRule::roofline;
  const bool measures = profile != nullptr && !estimates && !prediction.to_match;
  const NetworkProfile* measured = measures ? times_on_gpu(*validation, *profile) : nullptr;
  double factor = 1;
  if (measured == nullptr) {
    const Seconds estimate =
        step_time(layer_times(network, step_on_gpu(*prediction.point), gpu, nullptr));
    const Seconds taken = prediction.costs.forward_total() + prediction.costs.backward_total();
    if (estimate > Seconds{}) factor = taken / estimate;
  }
  std::vector<Seconds> times;
  for (const LayerTime& time : layer_times(network, step_on_gpu(*validation), gpu, measured)) {
    times.push_back(time.forward * factor);
  }
  return times;
}

void slow_by_gpu(Prediction& prediction) {
  const ExperimentPoint& point = *prediction.point;
  const Machine& machine = *prediction.machine;
  if (machine.kind() != Machine::Kind::described || point.experiment.devices) return;
  if (machine.equal_gpus()) return;
  std::map<std::pair<std::string, double>, Seconds> steps;  // by model and clock
  const auto kind_of = [](const GpuSpec& gpu) { return std::pair(gpu.name, gpu.clock.fraction); };
  const auto step_on = [&](const GpuSpec& gpu) {
    const auto [known, fresh] = steps.try_emplace(kind_of(gpu));
    if (fresh)
      known->second = step_time(layer_times(*point.network, step_on_gpu(point), gpu, nullptr));
    return known->second;
  };
  const std::vector<int> gpus = worker_gpus(point);
  const GpuSpec& first = machine.gpu(gpus.front());
  bool differ = false;
  for (int worker = 1; worker < prediction.plan.workers; ++worker) {
    const GpuSpec& gpu = machine.gpu(gpus[static_cast<std::size_t>(worker)]);
    if (kind_of(gpu) == kind_of(first)) continue;
    prediction.costs.memory_slowdown.resize(static_cast<std::size_t>(prediction.plan.workers), 1);
    prediction.costs.memory_slowdown[static_cast<std::size_t>(worker)] =
        first.memory_bandwidth / gpu.memory_bandwidth;
    const Seconds base = step_on(first);
    if (base <= Seconds{}) return;
    prediction.costs.slowdown[static_cast<std::size_t>(worker)] *= step_on(gpu) / base;
    differ = true;
  }
  if (differ) {
    prediction.layer_times.sentence +=
        "; workers on other GPUs than " + first.name + " by the ratio of their estimates";
  }
}

void slow_by_variation(Prediction& prediction) {
  const double deviation = prediction.point->software->gpu_variation.fraction;
  std::vector<double>& slowdown = prediction.costs.slowdown;
  if (deviation == 0 || slowdown.size() < 2 || prediction.point->experiment.devices) return;
  // multiples of about 0.618 P, modulo P, are all ranks, evenly spread
  const std::size_t workers = slowdown.size();
  auto step = static_cast<std::size_t>(0.618 * static_cast<double>(workers));
  while (std::gcd(++step, workers) != 1) continue;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const double rank = static_cast<double>(worker * step % workers) + 0.5;
    const double normal =
        std::sqrt(2.0) * boost::math::erf_inv(2 * rank / static_cast<double>(workers) - 1);
    slowdown[worker] *= 1 + deviation * normal;
  }
}

void slow_by_board(Prediction& prediction) {
  const ExperimentPoint& point = *prediction.point;
  const Machine& machine = *prediction.machine;
  if (machine.kind() != Machine::Kind::described || point.experiment.devices) return;
  const std::vector<int> gpus = worker_gpus(point);
  if (machine.equal_gpus() && machine.gpu(gpus.front()).board_dies == 1) return;
  const auto board_of = [&](int gpu) { return gpu / machine.gpu(gpu).board_dies; };
  std::unordered_map<int, int> busy;  // dies, by board
  for (const int gpu : gpus) {
    if (machine.gpu(gpu).board_dies > 1) ++busy[board_of(gpu)];
  }
  for (std::size_t worker = 0; worker < gpus.size(); ++worker) {
    const GpuSpec& gpu = machine.gpu(gpus[worker]);
    if (gpu.board_dies > 1 && busy[board_of(gpus[worker])] > 1)
      prediction.costs.slowdown[worker] /= gpu.board_clock.fraction;
  }
}

}  // namespace paceline
