// SPDX-License-Identifier: MIT
/// \file
/// Every stride-th row and column of images: the pixels that convolutions of 1x1 with that stride
/// read. A tensor of these alone is packed like any other.
#pragma once

namespace paceline::cuda {

struct KeptPixels {
  int stride = 1;             ///< 1: all are kept
  int height = 0, width = 0;  ///< of a whole image

  explicit operator bool() const { return stride > 1; }
  constexpr int whole() const { return height * width; }  ///< pixels of an image
  constexpr int rows() const { return (height + stride - 1) / stride; }
  constexpr int columns() const { return (width + stride - 1) / stride; }
  constexpr int kept() const { return rows() * columns(); }
};

}  // namespace paceline::cuda
