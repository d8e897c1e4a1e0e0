// SPDX-License-Identifier: MIT
#include "sim/costs/layer_cost.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>

#include "sim/costs/kernel_time.hpp"

namespace paceline {
namespace {

struct PassTime {
  Seconds time;
  bool known = true;
};

PassTime pass_time(std::initializer_list<const std::vector<Kernel>*> parts, const GpuSpec& gpu,
                   const StepOnGpu& step) {
  PassTime sum;
  for (const std::vector<Kernel>* kernels : parts) {
    for (const Kernel& kernel : *kernels) {
      const KernelTime one = kernel_time(kernel, gpu, step);
      sum.time += one.time;
      sum.known = sum.known && one.known;
    }
  }
  return sum;
}

/// By kernels of one precision.
LayerTime computed_in_one(const Network& network, std::size_t index, const StepOnGpu& step,
                          const GpuSpec& gpu) {
  // The processor of an ideal machine has no figures: it takes no time.
  if (gpu.fp32 <= FlopsPerSecond{0}) return {Seconds{}, Seconds{}, CostSource::given, false};
  const LayerKernels kernels = layer_kernels(network, index, step);
  const PassTime forward = pass_time({&kernels.forward}, gpu, step);
  const PassTime backward =
      pass_time({&kernels.input_gradient, &kernels.weight_gradient}, gpu, step);
  const bool known = forward.known && backward.known;
  return {forward.time, backward.time, known ? CostSource::efficiency : CostSource::roofline,
          false};
}

/// In tf32 a library may also take its kernels for fp32, with transforms and without transposes for
/// tensor cores: each pass takes the faster ones, where the GPU has a row of both. Tensor cores of
/// a GeForce have no higher peak in tf32 than its ordinary ones have in fp32.
LayerTime computed(const Network& network, std::size_t index, const StepOnGpu& step,
                   const GpuSpec& gpu) {
  LayerTime time = computed_in_one(network, index, step, gpu);
  const bool both = gpu.efficiency.tf32.has_value() && gpu.efficiency.fp32.has_value();
  if (step.precision != Precision::tf32 || !both) return time;
  StepOnGpu ordinary = step;
  ordinary.precision = Precision::fp32;
  const LayerTime other = computed_in_one(network, index, ordinary, gpu);
  time.forward = std::min(time.forward, other.forward);
  time.backward = std::min(time.backward, other.backward);
  return time;
}

/// Whether the times of `profile` are of exactly this network, batch, precision and GPU.
bool measured_of(const NetworkProfile& profile, const Network& network, const StepOnGpu& step,
                 const GpuSpec& gpu) {
  return profile.network == network.name && profile.parameters == network.parameters() &&
         profile.forward.size() == network.layers.size() &&
         profile.backward.size() == network.layers.size() && profile.batch == step.batch &&
         profile.precision == step.precision && same_gpu(gpu, profile.gpu);
}

}  // namespace

std::span<const EnumName<CostSource>> enum_names(const CostSource*) {
  static constexpr std::array<EnumName<CostSource>, 4> kNames{{
      {"given", CostSource::given},
      {"profile", CostSource::profile},
      {"efficiency", CostSource::efficiency},
      {"roofline", CostSource::roofline},
  }};
  return kNames;
}

std::vector<LayerTime> layer_times(const Network& network, const StepOnGpu& step,
                                   const GpuSpec& gpu, const NetworkProfile* profile) {
  if (profile != nullptr && !measured_of(*profile, network, step, gpu)) {
    profile = nullptr;
  }
  std::vector<LayerTime> times;
  times.reserve(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.kind == LayerKind::synthetic) {
      times.push_back(
          {layer.synthetic_forward, layer.synthetic_backward, CostSource::given, false});
      continue;
    }
    if (profile != nullptr) {
      times.push_back({profile->forward[i], profile->backward[i], CostSource::profile, false});
      continue;
    }
    times.push_back(computed(network, i, step, gpu));
  }
  return times;
}

Seconds step_time(const std::vector<LayerTime>& times) {
  Seconds sum;
  for (const LayerTime& time : times) sum += time.forward + time.backward;
  return sum;
}

void scale_to(std::vector<LayerTime>& times, Seconds one_worker_step) {
  const Seconds sum = step_time(times);
  if (sum <= Seconds{0}) throw std::invalid_argument("scale_to: the layers take no time");
  const double factor = one_worker_step / sum;
  for (LayerTime& time : times) {
    time.forward = time.forward * factor;
    time.backward = time.backward * factor;
    time.scaled = true;
  }
}

}  // namespace paceline
