// SPDX-License-Identifier: MIT
/// \file
/// The loss scale of fp16, in device memory. The gradient of the loss is multiplied by it before
/// the backward pass, and gradients of weights are divided by it: many gradients of activations are
/// below 6e-8, the smallest number of fp16 (Micikevicius et al., "Mixed precision training", ICLR
/// 2018). It is as large as gradients permit: one that is not finite halves it, and many steps
/// without double it.
#pragma once
#include <cuda_runtime_api.h>

namespace paceline::cuda {

struct LossScale {
  float scale = 1, inverse = 1;
  int good = 0;        ///< steps since it changed
  int ran = 0;         ///< the step under way has made gradients
  int overflowed = 0;  ///< one of them was not finite
};

/// growth_interval of PyTorch's torch.amp.GradScaler, in steps; so are its growth_factor of 2 and
/// its backoff_factor of 0.5. Its init_scale, 65536, makes gradients of usual networks overflow
/// (those of ResNet-20's classifier do), which costs the first steps; 1024 does not.
inline constexpr float kFirstLossScale = 1024;
inline constexpr int kStepsToGrow = 2000;

void set_loss_scale(LossScale* at, float scale, cudaStream_t stream);
/// Between two steps: the scale for the next one.
void settle_loss_scale(LossScale* at, cudaStream_t stream);

}  // namespace paceline::cuda
