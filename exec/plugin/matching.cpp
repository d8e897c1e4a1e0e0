// SPDX-License-Identifier: MIT
#include "exec/plugin/matching.hpp"

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

/// "2 x NVIDIA H200, NVIDIA A2"
std::string names_of(const std::vector<GpuFacts>& gpus) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < gpus.size();) {
    std::size_t end = i;
    while (end < gpus.size() && gpus[end].name == gpus[i].name) ++end;
    parts.push_back(std::to_string(end - i) + " x " + gpus[i].name);
    i = end;
  }
  return join(parts);
}

}  // namespace

std::string not_this_computer(const ExperimentPoint& point, const AcceleratorFacts& facts) {
  if (!point.machine) return "";
  const Machine& machine = *point.machine;
  std::string different = "machine '" + machine.name() + "' is not this machine";
  if (machine.kind() != Machine::Kind::described) return different;
  const auto& devices = point.experiment.devices;
  // workers use the first GPUs of the machine, and of this computer
  const int first = devices ? devices->gpu : 0;
  const int count = devices ? 1 : point.experiment.workers;
  for (int gpu = first; gpu < first + count; ++gpu) {
    const auto here = static_cast<std::size_t>(gpu);
    if (here < facts.gpus.size() && same_gpu(machine.gpu(gpu), facts.gpus[here].name)) continue;
    return different + " (its GPU " + std::to_string(gpu) + ": " + machine.gpu(gpu).name +
           "; here: " + (facts.gpus.empty() ? "no GPU" : names_of(facts.gpus)) + ")";
  }
  return "";
}

std::string name_of(const AcceleratorFacts& facts) {
  return names_of(facts.gpus) + ", CUDA " + facts.runtime + " on a driver of " + facts.driver +
         ", cuDNN " + facts.cudnn + ", NCCL " + facts.nccl;
}

}  // namespace paceline
