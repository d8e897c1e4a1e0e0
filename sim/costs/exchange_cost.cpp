// SPDX-License-Identifier: MIT
#include "sim/costs/exchange_cost.hpp"

#include <algorithm>
#include <cmath>

#include "training/strategies/grouping.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

/// 1 + the share of its backward pass that a worker waits. cuDNN's persistent batch norms take all
/// multiprocessors, so that neither they nor a call begin while the other runs, and a call runs
/// until the last worker has come to it.
double waits_of_batch_norms(const Prediction& prediction) {
  const ExperimentPoint& point = *prediction.point;
  const Precision precision = point.experiment.precision;
  const bool halves = precision == Precision::fp16 || precision == Precision::bf16;
  if (!halves || !prediction.plan.overlap) return 1;
  const auto is_norm = [](const Layer& layer) { return layer.kind == LayerKind::batch_norm; };
  if (std::ranges::none_of(point.network->layers, is_norm)) return 1;
  const int workers = Grouping::by_host(prediction.plan).largest();
  return 1 + point.software->batch_norm_wait.fraction * std::log2(workers);
}

/// Seconds for each byte of a gradient that is copied into its bucket and back.
double seconds_a_byte(double passes, const GpuSpec& gpu) {
  const double share = gpu.efficiency.memory ? gpu.efficiency.memory->share.fraction : 1;
  const double bytes_a_second = share * gpu.memory_bandwidth.value();
  return bytes_a_second > 0 ? passes / bytes_a_second : 0;  // an ideal GPU's is 0
}

}  // namespace

void cost_of_exchange(Prediction& prediction, const GpuSpec& gpu) {
  const ExperimentPoint& point = *prediction.point;
  const AllReduce* all_reduce = point.experiment.aggregation->all_reduce();
  if (prediction.plan.workers < 2 || all_reduce == nullptr || !all_reduce->native()) return;
  const double waits = waits_of_batch_norms(prediction);
  const double a_byte = seconds_a_byte(point.software->buckets.passes, gpu);
  const std::vector<Layer>& layers = point.network->layers;
  const auto add = [&](std::vector<Seconds>& backward) {
    for (std::size_t i = 0; i < backward.size(); ++i) {
      const double bytes = kBytesPerParameter * static_cast<double>(layers[i].parameters);
      backward[i] = backward[i] * waits + Seconds{bytes * a_byte};
    }
  };
  add(prediction.costs.backward);
  for (ShapeCosts& shape : prediction.costs.shapes) add(shape.backward);
}

}  // namespace paceline
