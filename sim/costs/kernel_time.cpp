// SPDX-License-Identifier: MIT
// The figures below hold for every GPU. Two are fitted, as scripts/fit-gpus says, together with the
// GPUs' tables.
#include "sim/costs/kernel_time.hpp"

#include <algorithm>
#include <cmath>

#include "sim/costs/gpu_group.hpp"

namespace paceline {
namespace {

/// Outputs of one thread block and blocks at a time on a multiprocessor: the usual kernels of
/// cuBLAS and cuDNN, as their names say (`128x64`).
struct Tile {
  double rows, columns, at_once;
  double most;  ///< of the peak, that a product of any depth reaches
};
constexpr Tile kTile{128, 64, 2, 0.95};
/// `most`: 788 of 989 TFLOP/s of an 8192 x 8192 x 8192 product in bf16, PyTorch on an H200.
constexpr Tile kTensorTile{128, 128, 1, 0.8};

constexpr double kLeastSide = 32;   ///< of a tile of a small product
constexpr double kLeastDepth = 64;  ///< of a part when the sum is cut
/// Fitted: what the last wave takes longer, in waves: no other hides its start and its end. A wave
/// of a dense product is a tile for each multiprocessor.
constexpr double kTail = 0.45;
/// Fitted: fewer operations by a transform. Winograd's F(2x2, 3x3) saves 2.25, F(4x4, 3x3) 4.
constexpr double kTransformGain = 2.45;

/// Of dense products, the depth at which half of `most` is reached. Assumed: as long as the
/// shortest part of a sum, of which the begin and the end of a tile take half; attention's products
/// of 64 summands need it.
constexpr double kDenseHalfDepth = kLeastDepth;

/// The share of that speed at which tensor cores multiply matrices with rows that do not begin at
/// multiples of 16 bytes, by the bytes that they are multiples of. Measured on an H200, cuBLAS 13
/// (experiments/measured/h200/pytorch-kernels.csv): of 673 TFLOP/s in bf16, 220 to 240 with the
/// 30,522 words of BERT and 95 to 146 with the 50,257 of GPT-2.
double share_of_unaligned(int alignment) {
  if (alignment >= 16) return 1;
  return alignment >= 4 ? 0.34 : 0.19;
}

/// A tile's side for a product of this length on that side: halved while the half is enough.
double side_of(double product, double side) {
  while (side > kLeastSide && product <= side / 2) side /= 2;
  return side;
}

Seconds product_time(const Kernel& kernel, const GpuSpec& gpu, FlopsPerSecond peak,
                     const Efficiency& row, bool tensor) {
  const Tile& tile = tensor ? kTensorTile : kTile;
  const Product& product = kernel.product;
  const double rows = side_of(product.rows, tile.rows);
  const double columns = side_of(product.columns, tile.columns);
  const double at_once = gpu.sms * tile.at_once;
  double blocks = std::ceil(product.rows / rows) * std::ceil(product.columns / columns);
  double parts = 1;
  if (blocks < at_once) {
    parts = std::max(
        1.0, std::min(std::floor(product.depth / kLeastDepth), std::floor(at_once / blocks)));
  }
  blocks *= parts;
  const double depth = product.depth / parts;
  const double share =
      (kernel.dense ? tile.most * depth / (depth + kDenseHalfDepth)
                    : std::min(tile.most, row.share.fraction * depth / (depth + row.half_depth))) *
      (tensor ? share_of_unaligned(kernel.alignment) : 1);
  const double in_wave = kernel.dense ? gpu.sms : at_once;
  const Flops one_wave{2 * rows * columns * depth * in_wave};
  const double gain = kernel.fast ? kTransformGain : 1;
  return (std::ceil(blocks / in_wave) + kTail) * (one_wave / (peak * (share * gain)));
}

/// Kernels that only move data may reach less than a copy.
BytesPerSecond bandwidth_of(const Kernel& kernel, const GpuSpec& gpu, const KernelCost& kernels) {
  const bool passes = kernel.product.rows <= 0 && !kernels.tuned_passes;
  if (!passes || !gpu.efficiency.passes) return usable_bandwidth(gpu);
  return gpu.memory_bandwidth * gpu.efficiency.passes->share.fraction;
}

}  // namespace

KernelTime kernel_time(const Kernel& kernel, const GpuSpec& gpu, const StepOnGpu& step) {
  Seconds time = kernel.bytes / bandwidth_of(kernel, gpu, step.kernels);
  bool known = gpu.efficiency.memory.has_value();
  if (kernel.product.rows > 0) {
    const bool tensor = step.precision != Precision::fp32;
    const FlopsPerSecond peak =
        gpu.peak(step.precision) > FlopsPerSecond{} ? gpu.peak(step.precision) : gpu.fp32;
    const Efficiency* row = gpu.efficiency_of(step.precision);
    const Seconds product = row != nullptr ? product_time(kernel, gpu, peak, *row, tensor)
                                           : kernel.product.flops() / peak;
    if (product > time) {
      time = product;
      known = row != nullptr;
    }
  }
  const Seconds launch = kernel.launched ? step.kernels.launch : Seconds{};
  return {kernel.repeats * (time + launch), known};
}

}  // namespace paceline
