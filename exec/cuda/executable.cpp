// SPDX-License-Identifier: MIT
#include "exec/cuda/executable.hpp"

#include <algorithm>

#include "exec/cuda/network/cuda_network.hpp"
#include "exec/plugin/matching.hpp"
#include "experiments/language/counted.hpp"
#include "training/workload/placement.hpp"

namespace paceline::cuda {
namespace {

/// "", or the reason why there are too few GPUs for the experiment.
std::string too_few(const Experiment& experiment, int gpus) {
  if (const auto& devices = experiment.devices) {
    if (devices->gpu < gpus) return "";
    return "no GPU " + std::to_string(devices->gpu) + " on this computer (" + counted(gpus, "GPU") +
           ", counted from 0)";
  }
  const int workers = experiment.workers;
  if (workers <= gpus) return "";
  return counted(workers, "worker") + " and " + counted(gpus, "GPU") +
         " (give 'devices: {virtual: " + std::to_string(workers) + "}')";
}

/// "", or why a GPU that workers use cannot run them.
std::string unusable(const Experiment& experiment, const std::vector<GpuFacts>& gpus) {
  for (int worker = 0; worker < experiment.workers; ++worker) {
    const auto number = static_cast<std::size_t>(gpu_of(experiment.devices, worker));
    if (number >= gpus.size()) break;  // of another process
    const GpuFacts& gpu = gpus[number];
    if (!gpu.unusable.empty()) return gpu.unusable;
  }
  return "";
}

}  // namespace

std::string not_executable(const ExperimentPoint& point, const AcceleratorFacts& facts,
                           bool in_group) {
  if (facts.gpus.empty()) return facts.problem;
  const Experiment& experiment = point.experiment;
  std::string why = not_this_computer(point, facts);
  if (why.empty() && !in_group) why = too_few(experiment, static_cast<int>(facts.gpus.size()));
  if (why.empty()) why = unusable(experiment, facts.gpus);
  if (!why.empty()) return why;
  for (const auto& [worker, straggler] : experiment.stragglers.workers) {
    if (straggler.slowdown < 1) {
      return "no worker can compute faster than its GPU (a slowdown below 1)";
    }
  }
  if (experiment.workload) return "";
  NetworkSetting network;
  network.network = point.network.get();
  network.batch = experiment.batch;
  network.precision = experiment.precision;
  network.layout = experiment.layout;
  return uncomputable(network);
}

}  // namespace paceline::cuda
