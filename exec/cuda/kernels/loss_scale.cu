// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/loss_scale.hpp"

namespace paceline::cuda {
namespace {

// Powers of two, so that a scale changes no digit of a number. Beyond these its inverse, or a
// product with it, would leave fp32.
constexpr float kLeast = 0x1p-24F;
constexpr float kMost = 0x1p100F;

__global__ void set_scale(LossScale* at, float scale) {
  *at = {scale, 1 / scale, 0, 0, 0};
}

__global__ void settle_scale(LossScale* at) {
  LossScale now = *at;
  if (now.ran == 0) return;
  float scale = now.scale;
  ++now.good;
  if (now.overflowed != 0) {
    if (scale > kLeast) scale /= 2;
    now.good = 0;
  } else if (now.good == kStepsToGrow) {
    if (scale < kMost) scale *= 2;
    now.good = 0;
  }
  *at = {scale, 1 / scale, now.good, 0, 0};
}

}  // namespace

void set_loss_scale(LossScale* at, float scale, cudaStream_t stream) {
  launch(set_scale, 1, 1, stream, at, scale);
}

void settle_loss_scale(LossScale* at, cudaStream_t stream) {
  launch(settle_scale, 1, 1, stream, at);
}

}  // namespace paceline::cuda
