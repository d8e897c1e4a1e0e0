// SPDX-License-Identifier: MIT
#include <limits>

#include "exec/cuda/kernels/convert.hpp"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/range.cuh"

namespace paceline::cuda {
namespace {

constexpr int kTile = 4096;  // elements per block, so that its gathers stay in the L1 cache

template <class T>
__global__ void convert_in_order(const float* from, T* to, std::int64_t count) {
  const std::int64_t quads = count / 4;
  for (std::int64_t i = first_thread(); i < quads; i += all_threads()) {
    const Pack<float, 4> in = load<4>(from + 4 * i);
    Pack<T, 4> out;
#pragma unroll
    for (int j = 0; j < 4; ++j) set(out.at[j], in.at[j]);
    store<4>(to + 4 * i, out);
  }
  const std::int64_t i = quads * 4 + first_thread();
  if (i < count) set(to[i], from[i]);
}

// One thread per pixel: reads run along the planes, as an image has few channels.
template <class T>
__global__ void convert_to_channels_last(const float* from, T* to, int items, int channels,
                                         int pixels) {
  for (int item = static_cast<int>(blockIdx.y); item < items; item += static_cast<int>(gridDim.y)) {
    const float* image = from + static_cast<std::int64_t>(item) * channels * pixels;
    T* tensor = to + static_cast<std::int64_t>(item) * channels * pixels;
    for (std::int64_t pixel = first_thread(); pixel < pixels; pixel += all_threads()) {
      for (int c = 0; c < channels; ++c) {
        set(tensor[pixel * channels + c], image[static_cast<std::int64_t>(c) * pixels + pixel]);
      }
    }
  }
}

/// The part of a matrix that a block works on.
struct Tile {
  PackedMatrix matrix;
  std::int64_t first;
  std::int64_t end;
};
__device__ Tile tile_of_block(const PackedMatrix* matrices, int count) {
  const int tile = matrices[0].first_tile + static_cast<int>(blockIdx.x);
  int low = 0, high = count;  // finds the last matrix with first_tile <= tile
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (matrices[middle].first_tile <= tile) {
      low = middle;
    } else {
      high = middle;
    }
  }
  Tile found{matrices[low], 0, 0};
  const std::int64_t elements =
      static_cast<std::int64_t>(found.matrix.out) * found.matrix.in * found.matrix.spatial;
  found.first = static_cast<std::int64_t>(tile - found.matrix.first_tile) * kTile;
  found.end = found.first + kTile < elements ? found.first + kTile : elements;
  return found;
}

/// Maps an index in a tile of [out][rows][columns] to its offset in [out][columns][rows].
class Transposed {
 public:
  __device__ Transposed(std::int64_t first, unsigned rows, unsigned columns)
      : rows_(rows), columns_(columns) {
    const std::int64_t size = static_cast<std::int64_t>(rows) * columns;
    base_ = first / size * size;
  }
  __device__ std::int64_t operator()(std::int64_t i) const {
    const unsigned size = rows_ * columns_;
    auto inside = static_cast<unsigned>(i - base_);  // 32-bit, since a 64-bit division is slow
    const unsigned out = inside / size;
    inside -= out * size;
    const unsigned row = inside / columns_;
    return base_ + static_cast<std::int64_t>(out) * size + (inside - row * columns_) * rows_ + row;
  }

 private:
  std::int64_t base_;
  unsigned rows_, columns_;
};

template <class T, bool kChannelsLast>
__global__ void pack(const float* flat, T* working, const PackedMatrix* matrices, int count) {
  const Tile tile = tile_of_block(matrices, count);
  const PackedMatrix& m = tile.matrix;
  const float* from = flat + m.flat;
  T* to = working + m.working;
  if (kChannelsLast && m.spatial > 1 && m.in > 1) {
    const Transposed source(tile.first, static_cast<unsigned>(m.spatial),
                            static_cast<unsigned>(m.in));
    for (std::int64_t i = tile.first + threadIdx.x; i < tile.end; i += blockDim.x) {
      set(to[i], from[source(i)]);
    }
  } else {
    for (std::int64_t i = tile.first + threadIdx.x; i < tile.end; i += blockDim.x) {
      set(to[i], from[i]);
    }
  }
}

/// Of fp32; comparisons with NaN are false.
constexpr float kLargest = std::numeric_limits<float>::max();

template <class T, bool kChannelsLast>
__global__ void unpack(const T* working, float* flat, LossScale* scale,
                       const PackedMatrix* matrices, int count) {
  const Tile tile = tile_of_block(matrices, count);
  const float inverse = scale != nullptr ? scale->inverse : 1.0f;
  bool overflowed = false;
  const auto unscaled = [&](const T& gradient) {
    const float value = to_float(gradient) * inverse;
    if (scale == nullptr || fabsf(value) <= kLargest) return value;
    overflowed = true;
    return 0.0f;
  };
  const PackedMatrix& m = tile.matrix;
  const T* from = working + m.working;
  float* to = flat + m.flat;
  if (kChannelsLast && m.spatial > 1 && m.in > 1) {
    const Transposed source(tile.first, static_cast<unsigned>(m.in),
                            static_cast<unsigned>(m.spatial));
    for (std::int64_t i = tile.first + threadIdx.x; i < tile.end; i += blockDim.x) {
      to[i] = unscaled(from[source(i)]);
    }
  } else {
    for (std::int64_t i = tile.first + threadIdx.x; i < tile.end; i += blockDim.x) {
      to[i] = unscaled(from[i]);
    }
  }
  if (scale == nullptr) return;
  // all threads that write a word write the same
  if (overflowed) scale->overflowed = 1;
  if (threadIdx.x == 0) scale->ran = 1;
}

int tiles_of(const PackedMatrix& matrix) {
  return static_cast<int>((matrix.elements() + kTile - 1) / kTile);
}

unsigned tiles_of(const MatrixRange& range) {
  const PackedMatrix& last = range.host.back();
  return static_cast<unsigned>(last.first_tile + tiles_of(last) - range.host.front().first_tile);
}

}  // namespace

void load_inputs(const float* batch, void* tensor, Element element, bool channels_last, int items,
                 int channels, int pixels, cudaStream_t stream) {
  with_element(element, [&]<class T>() {
    if (!channels_last || channels == 1 || pixels == 1) {
      const std::int64_t count = std::int64_t{items} * channels * pixels;
      launch(convert_in_order<T>, dim3(blocks_for((count + 3) / 4)), dim3(kThreads), stream, batch,
             static_cast<T*>(tensor), count);
    } else {
      const auto rows =
          static_cast<unsigned>(items < 65535 ? items : 65535);  // maximum grid size in y
      const auto blocks = static_cast<unsigned>((pixels + kThreads - 1) / kThreads);
      launch(convert_to_channels_last<T>, dim3(blocks, rows), dim3(kThreads), stream, batch,
             static_cast<T*>(tensor), items, channels, pixels);
    }
  });
}

void lay_tiles(std::span<PackedMatrix> matrices) {
  int next = 0;
  for (PackedMatrix& matrix : matrices) {
    matrix.first_tile = next;
    next += tiles_of(matrix);
  }
}

void pack_weights(const float* flat, void* working, WorkingFormat format, const MatrixRange& range,
                  cudaStream_t stream) {
  if (range.host.empty()) return;
  with_element(format.element, [&]<class T>() {
    launch(format.channels_last ? pack<T, true> : pack<T, false>, dim3(tiles_of(range)),
           dim3(kThreads), stream, flat, static_cast<T*>(working), range.device,
           static_cast<int>(range.host.size()));
  });
}

void unpack_gradients(const void* working, float* flat, WorkingFormat format, LossScale* scale,
                      const MatrixRange& range, cudaStream_t stream) {
  if (range.host.empty()) return;
  with_element(format.element, [&]<class T>() {
    launch(format.channels_last ? unpack<T, true> : unpack<T, false>, dim3(tiles_of(range)),
           dim3(kThreads), stream, static_cast<const T*>(working), flat, scale, range.device,
           static_cast<int>(range.host.size()));
  });
}

}  // namespace paceline::cuda
