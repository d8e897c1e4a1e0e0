// SPDX-License-Identifier: MIT
/// \file
/// Zero-padded copies of images, for libraries that require the same padding on opposite sides.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Packed images and their position in the padded ones.
struct PaddedImage {
  Element element = Element::fp32;
  bool channels_last = false;
  int items = 0;
  int channels = 0;
  int height = 0, width = 0;
  int top = 0, left = 0;
  int padded_height = 0, padded_width = 0;

  std::size_t padded_bytes() const {
    return static_cast<std::size_t>(std::int64_t{items} * channels * padded_height * padded_width *
                                    bytes_of(element));
  }
};

/// Copies images into padded ones and sets the padding to zero.
void pad_image(const PaddedImage& shape, const void* image, void* padded, cudaStream_t stream);
/// Copies the part inside the padding to images; `adds`: adds it.
void crop_image(const PaddedImage& shape, const void* padded, void* image, bool adds,
                cudaStream_t stream);

}  // namespace paceline::cuda
