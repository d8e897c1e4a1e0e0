// SPDX-License-Identifier: MIT
#include "training/experiment/described_gpus.hpp"

#include <algorithm>

#include "training/workload/placement.hpp"

namespace paceline {
namespace {

/// The GPUs of the point's workers, by number; one of them where all are equal, and none where the
/// machine does not describe them.
std::vector<int> gpus_in_use(const ExperimentPoint& point) {
  std::vector<int> gpus;
  if (first_gpu(point) == nullptr) return gpus;
  if (point.experiment.devices) return {point.experiment.devices->gpu};
  if (point.machine->equal_gpus()) return {0};
  for (const int gpu : worker_gpus(point)) {
    if (gpu < point.machine->gpu_count()) gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace

std::vector<int> worker_gpus(const ExperimentPoint& point) {
  return point.experiment.gpus.of(point.experiment.workers, point.machine.get());
}

const GpuSpec* first_gpu(const ExperimentPoint& point) {
  if (!point.machine || point.machine->kind() != Machine::Kind::described) return nullptr;
  const int gpu = gpu_of(point.experiment.devices, 0, worker_gpus(point));
  return gpu < point.machine->gpu_count() ? &point.machine->gpu(gpu) : nullptr;
}

const GpuSpec& smallest_gpu(const ExperimentPoint& point) {
  const std::vector<int> used = gpus_in_use(point);
  return point.machine->gpu(*std::min_element(used.begin(), used.end(), [&](int a, int b) {
    return point.machine->gpu(a).memory < point.machine->gpu(b).memory;
  }));
}

std::string lacking_precision(const ExperimentPoint& point) {
  const Precision precision = point.experiment.precision;
  for (const int number : gpus_in_use(point)) {
    const GpuSpec& gpu = point.machine->gpu(number);
    if (gpu.peak(precision) > FlopsPerSecond{0}) continue;
    std::vector<std::string> has;
    for (const auto& row : enum_rows<Precision>()) {
      if (gpu.peak(row.value) > FlopsPerSecond{0}) has.emplace_back(row.name);
    }
    return gpu.name + " has no " + Value<Precision>::write(precision).text + " (it has " +
           join(has) + ")";
  }
  return "";
}

Tree keys_with_defaults(const ExperimentPoint& point) {
  Tree keys = write_keys(point.experiment);
  for (const Member& member : point.tree.members) keys.set(member.key, member.value);
  return keys;
}

}  // namespace paceline
