// SPDX-License-Identifier: MIT
/// \file
/// Copies of channels, for concat and pad.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// `rows` runs of `width` numbers each; a pitch is the distance between runs, in numbers.
struct Runs {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t from_pitch = 0;
  std::int64_t to_pitch = 0;
};
/// Copies from `from` + `from_offset` to `to` + `to_offset`; `adds`: adds instead of overwriting.
void copy_runs(const void* from, std::int64_t from_offset, void* to, std::int64_t to_offset,
               const Runs& runs, bool adds, Element element, cudaStream_t stream);

/// Zero channels around an image's own, and subsampling to every `stride`-th row and column.
struct PadShape {
  Element element = Element::fp32;
  bool channels_last = false;
  int items = 0;
  int in_channels = 0, out_channels = 0;
  int before = 0;  ///< zero channels before the image's own
  int in_height = 0, in_width = 0;
  int out_height = 0, out_width = 0;
  int stride = 1;

  std::int64_t inputs() const { return std::int64_t{items} * in_channels * in_height * in_width; }
  std::int64_t outputs() const {
    return std::int64_t{items} * out_channels * out_height * out_width;
  }
};
void pad_forward(const PadShape& shape, const void* input, void* output, cudaStream_t stream);
void pad_backward(const PadShape& shape, const void* gradient, void* input_gradient, bool adds,
                  cudaStream_t stream);

}  // namespace paceline::cuda
