// SPDX-License-Identifier: MIT
/// \file
/// The time of a kernel on a GPU:
///
///     repeats x (max(product, bytes / (bandwidth x share)) x slowdown + launch)
///
/// A product is cut into tiles, which fill the GPU in waves; a wave takes as long when it is not
/// full, and the last one longer. Where a product has too few tiles for a wave, its sum is cut into
/// parts too. A tile reaches more of the peak the deeper its sum:
///
///     efficiency = min(most, share x depth / (depth + half_depth))
///
/// A product of two matrices as they stand (`dense`) reaches most x depth / (depth + 64), on every
/// GPU: its library needs no detour for windows. A wave of it is a tile for each multiprocessor,
/// however many of them it computes at a time, since the library has smaller tiles too. `most` is
/// 95 % on ordinary cores and 80 % on tensor cores; `share` and `half_depth` are rows of the GPU's
/// efficiency table: `fp32`, `tf32` or `fp16` (for bf16 too); `memory` gives the share of the
/// bandwidth, and `passes` that of kernels without a product, if it is another and the software's
/// are not `tuned_passes`. A GPU without a row for the precision is taken at its peak, without
/// tiles: a bound, not an estimate.
#pragma once
#include "sim/costs/layer_kernels.hpp"

namespace paceline {

/// The time, and whether a row of the GPU's table says how much of its peak it reaches.
struct KernelTime {
  Seconds time;
  bool known = false;
};

/// \param step the precision and the software's launch time
KernelTime kernel_time(const Kernel& kernel, const GpuSpec& gpu, const StepOnGpu& step);

}  // namespace paceline
