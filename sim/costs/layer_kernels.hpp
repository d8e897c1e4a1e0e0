// SPDX-License-Identifier: MIT
/// \file
/// The kernels that a layer launches on a GPU in each pass: the matrix products that its arithmetic
/// amounts to, and the bytes that it moves.
#pragma once
#include <string>
#include <vector>

#include "models/network.hpp"
#include "topology/gpu.hpp"
#include "training/experiment/software/software.hpp"
#include "training/workload/tensor_layout.hpp"

namespace paceline {

/// The arithmetic of a step on a GPU, and the way in which the libraries do it.
struct StepOnGpu {
  int batch = 1;  ///< items of a worker's mini-batch
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  KernelCost kernels{};  ///< of the software stack
};

/// [rows x depth] x [depth x columns], the sum over `depth`.
struct Product {
  double rows = 0, columns = 0, depth = 0;
  Flops flops() const { return Flops{2 * rows * columns * depth}; }
};

/// One kernel, or `repeats` of them one after another. Bytes are of one.
struct Kernel {
  Product product;    ///< all 0: the kernel only moves data
  Bytes bytes;        ///< read and written
  bool fast = false;  ///< a convolution by a transform (Winograd, FFT): fewer operations
  double repeats = 1;
  bool launched = true;  ///< false: a part of another layer's kernel
  bool dense = false;    ///< by a library of matrix products, which needs no detour for windows
  int alignment = 16;    ///< bytes, up to 16, that divide the rows of its matrices
};

/// The backward pass computes the gradient of the layer's input, then that of its weights.
struct LayerKernels {
  std::vector<Kernel> forward, input_gradient, weight_gradient;
};

/// Kernels that are launched of these.
double launches(const std::vector<Kernel>& kernels);

/// The kernels of layer number `index` for a mini-batch; none for a synthetic layer.
LayerKernels layer_kernels(const Network& network, std::size_t index, const StepOnGpu& step);

}  // namespace paceline
