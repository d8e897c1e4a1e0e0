// SPDX-License-Identifier: MIT
#include <algorithm>

#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/transpose.hpp"

namespace paceline::cuda {
namespace {

constexpr int kTile = 32;  // rows and columns per block, so that reads and writes run along a warp
constexpr int kRows = 8;   // rows of a block's threads, each of which moves kTile / kRows numbers
constexpr unsigned kMostBlocks = 65535;  // maximum grid size in y and z

template <class T>
__global__ void exchange(const T* from, T* to, int matrices, int rows, int columns, bool adds) {
  __shared__ T tile[kTile][kTile + 1];  // one more column, to avoid bank conflicts
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int first_column = static_cast<int>(blockIdx.x) * kTile;
  const int tiles_down = (rows + kTile - 1) / kTile;
  const std::int64_t size = static_cast<std::int64_t>(rows) * columns;
  for (int matrix = static_cast<int>(blockIdx.z); matrix < matrices;
       matrix += static_cast<int>(gridDim.z)) {
    for (int down = static_cast<int>(blockIdx.y); down < tiles_down;
         down += static_cast<int>(gridDim.y)) {
      const int first_row = down * kTile;
      for (int i = y; i < kTile; i += kRows) {
        const int row = first_row + i, column = first_column + x;
        if (row < rows && column < columns) {
          tile[i][x] = from[matrix * size + static_cast<std::int64_t>(row) * columns + column];
        }
      }
      __syncthreads();
      for (int i = y; i < kTile; i += kRows) {
        const int row = first_row + x, column = first_column + i;
        if (row < rows && column < columns) {
          T& target = to[matrix * size + static_cast<std::int64_t>(column) * rows + row];
          const float value = to_float(tile[x][i]);
          set(target, adds ? to_float(target) + value : value);
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace

void transpose(const void* from, void* to, Element element, int matrices, int rows, int columns,
               bool adds, cudaStream_t stream) {
  const auto tiles = [](int count) { return static_cast<unsigned>((count + kTile - 1) / kTile); };
  const dim3 grid{tiles(columns), std::min(tiles(rows), kMostBlocks),
                  std::min(static_cast<unsigned>(matrices), kMostBlocks)};
  const std::int64_t elements = std::int64_t{matrices} * rows * columns;
  const Cost cost = elementwise("transpose", element, elements, adds ? 2 : 1, 1);
  with_element(element, [&]<class T>() {
    launch(cost, exchange<T>, grid, dim3(kTile, kRows), stream, static_cast<const T*>(from),
           static_cast<T*>(to), matrices, rows, columns, adds);
  });
}

}  // namespace paceline::cuda
