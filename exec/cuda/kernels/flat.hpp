// SPDX-License-Identifier: MIT
/// \file
/// Operations on flat arrays of floats that a GPU can access: sums, averages, updates and norms.
/// Slices may begin anywhere. Every call queues on a stream and returns; all arrays of a call have
/// the same size.
#pragma once
#include <cstddef>
#include <span>

#include <cuda_runtime_api.h>

#include "training/learning/optimizers/optimizer_step.hpp"

namespace paceline::cuda {

/// A factor: `known`, or the value at `later` when the kernel runs (in memory that the device can
/// read).
struct KernelFactor {
  float known = 1;
  const float* later = nullptr;
};

void fill(std::span<float> to, float value, cudaStream_t stream);
/// to = scale x from
void assign(std::span<float> to, std::span<const float> from, float scale, cudaStream_t stream);
/// into += factor x from; `fresh`: the old content of `into` counts as zeros.
void accumulate(std::span<float> into, std::span<const float> from, const KernelFactor& factor,
                bool fresh, cudaStream_t stream);
/// Applies a step of an optimizer (SgdStep, ...) to `scale` x the gradient; bitwise equal to
/// take_step() on the host.
template <class Step>
void update(const Step& step, const UpdateArrays& arrays, const KernelFactor& scale,
            cudaStream_t stream);

/// Doubles of scratch memory for the two functions below, in device memory.
inline constexpr std::size_t kSquarePartials = 1024;
/// Writes |a|^2 to `square`, summed in double precision in an order that depends only on the size.
void square_of_norm(std::span<const float> a, double* partials, double* square,
                    cudaStream_t stream);
/// Writes |a - b|^2, in the same way.
void square_of_distance(std::span<const float> a, std::span<const float> b, double* partials,
                        double* square, cudaStream_t stream);

}  // namespace paceline::cuda
