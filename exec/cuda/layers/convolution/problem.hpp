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
enum class Pass : std::uint8_t {
  forward,          ///< y = x * w
  data_gradient,    ///< dx from dy and w
  weight_gradient,  ///< dw from x and dy
};

struct Padding {
  int top = 0, bottom = 0, left = 0, right = 0;
  bool symmetric() const { return top == bottom && left == right; }
};

struct ConvolutionProblem {
  Pass pass = Pass::forward;
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
  int alignment = 16;  ///< all addresses are multiples of this number of bytes

  Element element() const { return element_of(precision); }
  std::int64_t image_bytes() const { return batch * image.elements() * bytes_of(element()); }
};

/// The problem in one line; the key of its algorithm in the cache.
std::string text_of(const ConvolutionProblem& problem);

/// The operands of a pass: x or dx, w or dw, y or dy.
struct Operands {
  void* image = nullptr;
  void* filters = nullptr;
  void* map = nullptr;
  friend bool operator==(const Operands&, const Operands&) = default;
};

/// Whether products may be rounded to the 10 bits of the tensor cores: always except in true fp32.
constexpr bool uses_tensor_cores(Precision precision) {
  return precision != Precision::fp32;
}

}  // namespace paceline::cuda
