// SPDX-License-Identifier: MIT
/// \file
/// One pass of a convolution, with everything that the choice of its algorithm depends on.
#pragma once
#include <cstdint>
#include <string>

#include "exec/cuda/layers/tensor.hpp"
#include "models/network.hpp"

namespace paceline::cuda {

/// x is the input image, w the filters and y the output feature map.
enum class Propagation : std::uint8_t {
  forward,          ///< y = x * w
  data_gradient,    ///< dx from dy and w
  weight_gradient,  ///< dw from x and dy
};

struct Padding {
  int top = 0, bottom = 0, left = 0, right = 0;
  bool symmetric() const { return top == bottom && left == right; }
};

/// Whether products may be rounded to the 10 bits of the tensor cores: always except in true fp32.
constexpr bool uses_tensor_cores(Precision precision) {
  return precision != Precision::fp32;
}

struct ConvolutionProblem {
  Propagation pass = Propagation::forward;
  Precision precision = Precision::fp32;
  Layout layout =
      Layout::nchw;  ///< of all three tensors: filters are [out][in][h][w] or [out][h][w][in]
  int batch = 0;
  Shape image;
  Shape map;
  int kernel_height = 1, kernel_width = 1;
  int stride = 1;
  Padding padding;
  bool adds = false;   ///< adds to the image's gradient instead of overwriting it
  bool bias = false;   ///< forward: adds a bias to each channel of the map
  bool relu = false;   ///< forward: a ReLU after the bias
  bool sums = false;   ///< forward: also sums the map's numbers and their squares, by channel
  int alignment = 16;  ///< all addresses are multiples of this number of bytes

  Element element() const { return element_of(precision); }
  std::int64_t image_bytes() const { return batch * image.elements() * bytes_of(element()); }
  /// Whether there is more to do than the convolution.
  bool is_fused() const { return adds || bias || relu || sums; }
  /// Whether cuDNN may have one kernel for it: such kernels use tensor cores, with channels last.
  bool may_fuse() const {
    return is_fused() && uses_tensor_cores(precision) && layout == Layout::nhwc;
  }
  /// The convolution alone.
  ConvolutionProblem alone() const {
    ConvolutionProblem problem = *this;
    problem.adds = problem.bias = problem.relu = problem.sums = false;
    return problem;
  }
};

/// The problem in one line; the key of its algorithm in the cache.
std::string text_of(const ConvolutionProblem& problem);

/// The operands of a pass: x or dx, w or dw, y or dy; and of what is fused with it.
struct Operands {
  void* image = nullptr;
  void* filters = nullptr;
  void* map = nullptr;
  const float* bias = nullptr;  ///< [map's channels]
  float* sums = nullptr;        ///< [map's channels], then the sums of squares
  friend bool operator==(const Operands&, const Operands&) = default;
};

}  // namespace paceline::cuda
