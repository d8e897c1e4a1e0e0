// SPDX-License-Identifier: MIT
#include "exec/cuda/network/pieces.hpp"

#include <algorithm>
#include <numeric>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

// NVIDIA, H100 Tensor Core GPU data sheet, SXM: 67 TFLOP/s in fp32, 494 in tf32, 989 in fp16 and
// bf16 (without sparsity), 3.35 TB/s. Hopper, Ada and the smaller Amperes have 128 lanes of fp32 a
// multiprocessor (CUDA programming guide, compute capabilities 8.6 to 9.0), and a fused
// multiply-add counts as two operations.
constexpr double kOperationsPerByte = 20;
constexpr double kTf32 = 494.0 / 67.0;
constexpr double kHalves = 989.0 / 67.0;
constexpr double kOperationsPerClock = 2 * 128;

double speed_of(Precision precision) {
  switch (precision) {
    case Precision::tf32:
      return kTf32;
    case Precision::fp16:
    case Precision::bf16:
      return kHalves;
    default:
      return 1;
  }
}

/// Time of a layer for one item, in operations of the fp32 lanes: its products, and the tensors
/// that it reads and writes.
double cost_of(const Layer& layer, Pass pass, Precision precision) {
  const double passes = pass == Pass::forward ? 1 : 2;
  const double bytes = precision == Precision::fp16 || precision == Precision::bf16 ? 2 : 4;
  const auto tensors =
      static_cast<double>(layer.in.elements()) + static_cast<double>(layer.out.elements());
  return passes * (2 * static_cast<double>(layer.macs) / speed_of(precision) +
                   kOperationsPerByte * bytes * tensors);
}

}  // namespace

Pieces::Pieces(const NetworkSetting& setting, double lanes_rate) {
  const std::vector<Layer>& layers = setting.network->layers;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    std::vector<double> costs;
    for (const Layer& layer : layers) costs.push_back(cost_of(layer, pass, setting.precision));
    const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
    const auto p = static_cast<std::size_t>(pass);
    times_[p] = Seconds{sum * setting.batch / lanes_rate};
    const int pieces =
        static_cast<int>(std::clamp(times_[p] / kShortest, 1.0, static_cast<double>(kMost)));
    double before = 0;
    for (const double cost : costs) {
      const double middle = sum > 0 ? (before + cost / 2) / sum : 0;
      piece_of_[p].push_back(static_cast<int>(middle * pieces));
      before += cost;
    }
  }
}

LayerRange Pieces::first_of(const LayerRange& rest) const {
  const std::vector<int>& piece_of = piece_of_[static_cast<std::size_t>(rest.pass)];
  const auto piece = [&](std::int32_t layer) { return piece_of[static_cast<std::size_t>(layer)]; };
  LayerRange first = rest;
  if (rest.pass == Pass::forward) {
    first.last = rest.first + 1;
    while (first.last < rest.last && piece(first.last) == piece(rest.first)) ++first.last;
  } else {
    first.first = rest.last - 1;
    while (first.first > rest.first && piece(first.first - 1) == piece(rest.last - 1)) {
      --first.first;
    }
  }
  return first;
}

double lanes_rate(int device, double sms) {
  int kilohertz = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device), "querying the clock");
  return sms * kOperationsPerClock * 1e3 * kilohertz;
}

}  // namespace paceline::cuda
