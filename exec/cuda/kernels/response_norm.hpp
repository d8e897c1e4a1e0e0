// SPDX-License-Identifier: MIT
/// \file
/// Local response normalisation across channels: y = x s^-beta with s = 1 + alpha / size x the sum
/// of x^2 over the `size` surrounding channels (Krizhevsky, Sutskever & Hinton, "ImageNet
/// classification with deep convolutional neural networks", 2012, with k = 1).
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

struct ResponseNormShape {
  Element element = Element::fp32;
  bool channels_last = false;
  int items = 0;
  int channels = 0;
  int pixels = 0;
  int size = 1;
  float alpha = 0, beta = 0;

  std::int64_t elements() const { return std::int64_t{items} * channels * pixels; }
};

/// `scales`: s of each element in fp32, which forward writes for backward.
void response_norm_forward(const ResponseNormShape& shape, const void* input, void* output,
                           float* scales, cudaStream_t stream);
void response_norm_backward(const ResponseNormShape& shape, const void* input, const void* gradient,
                            const float* scales, void* input_gradient, bool adds,
                            cudaStream_t stream);

}  // namespace paceline::cuda
