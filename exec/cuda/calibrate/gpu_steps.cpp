// SPDX-License-Identifier: MIT
#include "exec/cuda/calibrate/gpu_steps.hpp"

#include "exec/cuda/calibrate/gpu_probe.hpp"
#include "exec/cuda/calibrate/link_probe.hpp"
#include "exec/cuda/calibrate/network_probe.hpp"
#include "exec/cuda/calibrate/sum_probe.hpp"
#include "exec/cuda/clocks/clock_watch.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "experiments/language/failure.hpp"
#include "training/profile/profile.hpp"
#include "training/workload/placement.hpp"

namespace paceline::cuda {
namespace {

/// "resnet50 at batch 64, bf16 NHWC, on 1 of 8 parts"
std::string described(const TimedWorkload& timed) {
  const Workload& workload = timed.workload;
  std::string text = workload.network + " at batch " + std::to_string(workload.batch) + ", " +
                     Value<Precision>::write(workload.precision).text + " " +
                     Value<Layout>::write(workload.layout).text;
  if (workload.virtual_gpus > 1) {
    text += ", on 1 of " + std::to_string(workload.virtual_gpus) + " parts";
  }
  return text;
}

}  // namespace

// NOLINTBEGIN(clang-analyzer-cplusplus.NewDeleteLeaks): a std::function owns what it captures
std::vector<CalibrationStep> gpu_steps(const AcceleratorFacts& facts, const GpuCalibration& what,
                                       const std::filesystem::path& cache,
                                       const std::function<void()>& reset, Profile& into) {
  std::vector<CalibrationStep> steps;
  const auto add = [&](std::string name, std::function<void()> measure) {
    auto run = [measure = std::move(measure), reset]() -> std::string {
      try {
        measure();
        return "";
      } catch (const Error& error) {
        if (error.lasting()) reset();
        return error.what();
      } catch (const std::exception& error) {
        return in_plain_words(error);
      }
    };
    steps.push_back({std::move(name), std::move(run)});
  };
  const Effort effort = what.effort;
  const int gpus = static_cast<int>(facts.gpus.size());
  if (what.figures) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const GpuFacts& one = facts.gpus[static_cast<std::size_t>(gpu)];
      add("gpu" + std::to_string(gpu),
          [gpu, &one, effort, &into] { into.gpus.push_back(measure_gpu(gpu, one, effort)); });
    }
    add("links", [&facts, effort, &into] {
      for (LinkProfile& link : measure_links(facts.gpus, effort)) {
        into.links.push_back(std::move(link));
      }
    });
    if (gpus > 1) {
      add("NCCL",
          [gpus, effort, &into] { into.collectives.push_back(measure_sums(gpus, effort)); });
    }
  }
  for (const TimedWorkload& timed : what.networks) {
    const auto gpu = static_cast<std::size_t>(gpu_of(timed.point->experiment.devices, 0));
    add(described(timed), [timed, effort, cache, &into, bus = facts.gpus.at(gpu).bus] {
      ClockWatch clocks(open_nvml(bus));
      NetworkProfile times = measure_network_on_gpu(timed, effort, cache);
      times.clocks = clocks.stop_and_describe();
      into.networks.push_back(std::move(times));
    });
  }
  return steps;
}
// NOLINTEND(clang-analyzer-cplusplus.NewDeleteLeaks)

}  // namespace paceline::cuda
