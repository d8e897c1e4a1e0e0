// SPDX-License-Identifier: MIT
/// \file
/// The arithmetic of the emulated cuDNN's convolutions, by oneDNN in fp32. Not for tests.
#pragma once
#include <cudnn.h>

#include "exec/cuda/kernels/cost.hpp"
#include "tests/exec/cuda/emulation/cudnn_descriptors.hpp"

namespace paceline::cuda::emulation {

/// A convolution of input x with filter w to output y.
struct Convolution {
  cudnnTensorStruct x;
  cudnnFilterStruct w;
  cudnnTensorStruct y;
  cudnnConvolutionStruct convolution;

  cudnnStatus_t legal() const;
  /// Of a pass that writes `to`; `adds` if it also reads it.
  Cost cost(const char* name, const cudnnTensorStruct& to, bool adds) const;
  /// out = alpha x result + beta x out.
  void forward(const void* in, const void* weights, void* out, float alpha, float beta) const;
  void backward_data(const void* weights, const void* gradient, void* out, float alpha,
                     float beta) const;
  void backward_filter(const void* in, const void* gradient, void* out, float alpha,
                       float beta) const;
};

}  // namespace paceline::cuda::emulation
