// SPDX-License-Identifier: MIT
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

// One thread per pixel: reads run along the planes, as an image has few channels. A pixel of four
// is one store.
template <class T>
__global__ void convert_to_channels_last(const float* from, T* to, const InputShape p) {
  for (int item = static_cast<int>(blockIdx.y); item < p.items;
       item += static_cast<int>(gridDim.y)) {
    const float* image = from + static_cast<std::int64_t>(item) * p.channels * p.pixels;
    T* tensor = to + static_cast<std::int64_t>(item) * p.padded * p.pixels;
    for (std::int64_t pixel = first_thread(); pixel < p.pixels; pixel += all_threads()) {
      const auto read = [&](int c) {
        return c < p.channels ? image[static_cast<std::int64_t>(c) * p.pixels + pixel] : 0.0f;
      };
      if (p.padded == 4) {
        Pack<T, 4> out;
#pragma unroll
        for (int c = 0; c < 4; ++c) set(out.at[c], read(c));
        store<4>(tensor + pixel * 4, out);
      } else {
        for (int c = 0; c < p.padded; ++c) set(tensor[pixel * p.padded + c], read(c));
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
  const PackedMatrix& m = found.matrix;
  const std::int64_t elements = static_cast<std::int64_t>(m.out) * (m.in + m.padding) * m.spatial;
  found.first = static_cast<std::int64_t>(tile - m.first_tile) * kTile;
  found.end = found.first + kTile < elements ? found.first + kTile : elements;
  return found;
}

/// Maps an index of [out][rows][columns] to its offset in [out][...][pitch], where columns are rows
/// and a row is `pitch` long; an `out` there has `size` numbers.
class Transposed {
 public:
  __device__ Transposed(std::int64_t first, unsigned rows, unsigned columns, unsigned pitch,
                        unsigned size)
      : columns_(columns), pitch_(pitch), size_(size), own_size_(rows * columns) {
    first_out_ = first / own_size_;
  }
  __device__ std::int64_t operator()(std::int64_t i) const {
    // 32-bit, since a 64-bit division is slow
    auto inside = static_cast<unsigned>(i - first_out_ * own_size_);
    const unsigned out = inside / own_size_;
    inside -= out * own_size_;
    const unsigned row = inside / columns_;
    return (first_out_ + out) * size_ + (inside - row * columns_) * pitch_ + row;
  }
  __device__ unsigned column(std::int64_t i) const {
    return static_cast<unsigned>(i - first_out_ * own_size_) % columns_;
  }

 private:
  std::int64_t first_out_;
  unsigned columns_, pitch_, size_, own_size_;
};

/// Whether the order of a matrix differs in the working weights.
template <bool kChannelsLast>
__device__ bool is_moved(const PackedMatrix& m) {
  return kChannelsLast && ((m.spatial > 1 && m.in > 1) || m.padding > 0);
}

template <class T, bool kChannelsLast>
__global__ void pack(const float* flat, T* working, const PackedMatrix* matrices, int count) {
  const Tile tile = tile_of_block(matrices, count);
  const PackedMatrix& m = tile.matrix;
  const float* from = flat + m.flat;
  T* to = working + m.working;
  if (is_moved<kChannelsLast>(m)) {
    const auto spatial = static_cast<unsigned>(m.spatial), in = static_cast<unsigned>(m.in);
    const Transposed source(tile.first, spatial, in + static_cast<unsigned>(m.padding), spatial,
                            in * spatial);
    for (std::int64_t i = tile.first + threadIdx.x; i < tile.end; i += blockDim.x) {
      set(to[i], m.padding > 0 && source.column(i) >= in ? 0.0f : from[source(i)]);
    }
  } else {
    for (std::int64_t i = tile.first + threadIdx.x; i < tile.end; i += blockDim.x) {
      set(to[i], from[i]);
    }
  }
}

template <class T, bool kChannelsLast>
__global__ void unpack(const T* working, float* flat, float scale, const PackedMatrix* matrices,
                       int count) {
  const Tile tile = tile_of_block(matrices, count);
  const PackedMatrix& m = tile.matrix;
  const T* from = working + m.working;
  float* to = flat + m.flat;
  const std::int64_t elements = static_cast<std::int64_t>(m.out) * m.in * m.spatial;
  const std::int64_t end = min(tile.end, elements);  // the working matrix may be larger
  if (is_moved<kChannelsLast>(m)) {
    const auto spatial = static_cast<unsigned>(m.spatial), in = static_cast<unsigned>(m.in);
    const unsigned pitch = in + static_cast<unsigned>(m.padding);
    const Transposed source(tile.first, in, spatial, pitch, pitch * spatial);
    for (std::int64_t i = tile.first + threadIdx.x; i < end; i += blockDim.x) {
      to[i] = to_float(from[source(i)]) * scale;
    }
  } else {
    for (std::int64_t i = tile.first + threadIdx.x; i < end; i += blockDim.x) {
      to[i] = to_float(from[i]) * scale;
    }
  }
}

int tiles_of(const PackedMatrix& matrix) {
  return static_cast<int>((matrix.working_elements() + kTile - 1) / kTile);
}

unsigned tiles_of(const MatrixRange& range) {
  const PackedMatrix& last = range.host.back();
  return static_cast<unsigned>(last.first_tile + tiles_of(last) - range.host.front().first_tile);
}

/// Of the flat matrices, and of the working ones.
struct Elements {
  std::int64_t flat = 0, working = 0;
};
Elements elements_of(const MatrixRange& range) {
  Elements sum;
  for (const PackedMatrix& matrix : range.host) {
    sum.flat += matrix.elements();
    sum.working += matrix.working_elements();
  }
  return sum;
}

}  // namespace

void load_inputs(const InputShape& p, const float* batch, void* tensor, cudaStream_t stream) {
  const std::int64_t elements = std::int64_t{p.items} * p.channels * p.pixels;
  const std::int64_t written = std::int64_t{p.items} * p.padded * p.pixels;
  const Cost cost{"input", 4 * elements, written * bytes_of(p.element)};
  const bool in_order = !p.channels_last || p.channels == 1 || p.pixels == 1;
  with_element(p.element, [&]<class T>() {
    if (in_order && p.padded == p.channels) {
      launch(cost, convert_in_order<T>, dim3(blocks_for((elements + 3) / 4)), dim3(kThreads),
             stream, batch, static_cast<T*>(tensor), elements);
    } else {
      const auto rows =
          static_cast<unsigned>(p.items < 65535 ? p.items : 65535);  // maximum grid size in y
      const auto blocks = static_cast<unsigned>((p.pixels + kThreads - 1) / kThreads);
      launch(cost, convert_to_channels_last<T>, dim3(blocks, rows), dim3(kThreads), stream, batch,
             static_cast<T*>(tensor), p);
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
  const Cost cost{"pack weights", 4 * elements_of(range).flat,
                  elements_of(range).working * bytes_of(format.element)};
  with_element(format.element, [&]<class T>() {
    launch(cost, format.channels_last ? pack<T, true> : pack<T, false>, dim3(tiles_of(range)),
           dim3(kThreads), stream, flat, static_cast<T*>(working), range.device,
           static_cast<int>(range.host.size()));
  });
}

void unpack_gradients(const void* working, float* flat, WorkingFormat format, float scale,
                      const MatrixRange& range, cudaStream_t stream) {
  if (range.host.empty()) return;
  const Cost cost{"unpack gradients", elements_of(range).flat * bytes_of(format.element),
                  4 * elements_of(range).flat};
  with_element(format.element, [&]<class T>() {
    launch(cost, format.channels_last ? unpack<T, true> : unpack<T, false>, dim3(tiles_of(range)),
           dim3(kThreads), stream, static_cast<const T*>(working), flat, scale, range.device,
           static_cast<int>(range.host.size()));
  });
}

}  // namespace paceline::cuda
