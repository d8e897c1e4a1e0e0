// SPDX-License-Identifier: MIT
/// \file
/// What is done to flat arrays of floats in memory that a GPU reaches: sums, averages, updates and
/// norms. Slices of them begin anywhere. Every call queues on a stream and returns; all arrays of a
/// call have one size.
#pragma once
#include <cstddef>
#include <span>

#include <cuda_runtime_api.h>

#include "training/arithmetic/optimizer_step.hpp"

namespace paceline::cuda {

/// A factor: `known`, or what stands at `later` by the time that the kernel runs, in memory that
/// the device reads.
struct KernelFactor {
  float known = 1;
  const float* later = nullptr;
};

void fill(std::span<float> to, float value, cudaStream_t stream);
/// to = scale x from
void assign(std::span<float> to, std::span<const float> from, float scale, cudaStream_t stream);
/// into += factor x from; `fresh`: what `into` held counts as zeros.
void accumulate(std::span<float> into, std::span<const float> from, const KernelFactor& factor,
                bool fresh, cudaStream_t stream);
/// Takes a step of an optimizer (SgdStep, ...) along `scale` x the gradient, to the same bits as
/// take_step() on the host.
template <class Step>
void update(const Step& step, const UpdateArrays& arrays, const KernelFactor& scale,
            cudaStream_t stream);

/// Doubles of scratch memory that the two below need, in the device's memory.
inline constexpr std::size_t kSquarePartials = 1024;
/// Writes |a|^2 to `square`, summed in double precision, in an order that the size alone decides.
void square_of_norm(std::span<const float> a, double* partials, double* square,
                    cudaStream_t stream);
/// The same of |a - b|^2.
void square_of_distance(std::span<const float> a, std::span<const float> b, double* partials,
                        double* square, cudaStream_t stream);

}  // namespace paceline::cuda
