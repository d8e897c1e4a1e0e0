// SPDX-License-Identifier: MIT
// One thread per element of the destination: padded images are written whole, and only the crop is
// read.
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/padding.hpp"

namespace paceline::cuda {
namespace {

/// The planes of a tensor, in runs of `run` adjacent numbers: a pixel's channels (nhwc) or 1
/// (nchw).
struct Planes {
  int planes = 0;  ///< items, or items x channels
  int run = 1;
  int height = 0, width = 0;
  int top = 0, left = 0;
  int padded_height = 0, padded_width = 0;
};

/// Offset in the padded planes of an element of the unpadded ones.
__device__ std::int64_t within_padding(const Planes& shape, std::int64_t element) {
  const std::int64_t pixel = element / shape.run;
  const std::int64_t row = pixel / shape.width;
  const std::int64_t plane = row / shape.height;
  const std::int64_t padded_row =
      plane * shape.padded_height + (row - plane * shape.height) + shape.top;
  const std::int64_t padded_pixel =
      padded_row * shape.padded_width + (pixel - row * shape.width) + shape.left;
  return padded_pixel * shape.run + (element - pixel * shape.run);
}

/// The inverse; -1 in the padding.
__device__ std::int64_t without_padding(const Planes& shape, std::int64_t element) {
  const std::int64_t pixel = element / shape.run;
  const std::int64_t row = pixel / shape.padded_width;
  const std::int64_t plane = row / shape.padded_height;
  const auto y = static_cast<int>(row - plane * shape.padded_height) - shape.top;
  const auto x = static_cast<int>(pixel - row * shape.padded_width) - shape.left;
  if (y < 0 || y >= shape.height || x < 0 || x >= shape.width) return -1;
  return ((plane * shape.height + y) * shape.width + x) * shape.run + (element - pixel * shape.run);
}

__device__ std::int64_t first_element() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t elements_at_once() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

template <class T>
__global__ void pad(const T* image, T* padded, const Planes shape, std::int64_t count) {
  for (std::int64_t i = first_element(); i < count; i += elements_at_once()) {
    const std::int64_t from = without_padding(shape, i);
    if (from >= 0) {
      padded[i] = image[from];
    } else {
      set(padded[i], 0.0f);
    }
  }
}

template <class T>
__global__ void crop(const T* padded, T* image, const Planes shape, std::int64_t count, bool adds) {
  for (std::int64_t i = first_element(); i < count; i += elements_at_once()) {
    const T value = padded[within_padding(shape, i)];
    if (adds) {
      set(image[i], to_float(image[i]) + to_float(value));
    } else {
      image[i] = value;
    }
  }
}

Planes planes_of(const PaddedImage& shape) {
  Planes planes{shape.items, 1,          shape.height,        shape.width,
                shape.top,   shape.left, shape.padded_height, shape.padded_width};
  (shape.channels_last ? planes.run : planes.planes) *= shape.channels;
  return planes;
}

}  // namespace

void pad_image(const PaddedImage& shape, const void* image, void* padded, cudaStream_t stream) {
  const std::int64_t count =
      std::int64_t{shape.items} * shape.channels * shape.padded_height * shape.padded_width;
  const std::int64_t image_bytes = std::int64_t{shape.items} * shape.channels * shape.height *
                                   shape.width * bytes_of(shape.element);
  const Cost cost{"padding", image_bytes, count * bytes_of(shape.element)};
  with_element(shape.element, [&]<class T>() {
    launch(cost, pad<T>, blocks_for(count), kThreads, stream, static_cast<const T*>(image),
           static_cast<T*>(padded), planes_of(shape), count);
  });
}

void crop_image(const PaddedImage& shape, const void* padded, void* image, bool adds,
                cudaStream_t stream) {
  const std::int64_t count =
      std::int64_t{shape.items} * shape.channels * shape.height * shape.width;
  with_element(shape.element, [&]<class T>() {
    launch(elementwise("cropping", shape.element, count, adds ? 2 : 1, 1), crop<T>,
           blocks_for(count), kThreads, stream, static_cast<const T*>(padded),
           static_cast<T*>(image), planes_of(shape), count, adds);
  });
}

}  // namespace paceline::cuda
