// SPDX-License-Identifier: MIT
// All but the norms is elementwise, in vectors of four if all arrays of a call have the same offset
// from a 16-byte boundary. Compiled without contraction to fused multiply-adds, so that an update
// is bitwise equal to the host's.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "exec/cuda/kernels/factor.cuh"
#include "exec/cuda/kernels/flat.hpp"
#include "exec/cuda/kernels/launch.cuh"

namespace paceline::cuda {
namespace {

constexpr int kThreads = 256;
// Enough blocks to fill any GPU several times; the kernels loop over the rest.
constexpr std::size_t kMostBlocks = 2048;
constexpr std::size_t kVector = 4;  // floats in 16 bytes

// Elementwise operations on kArrays arrays. Bit `a` of kReads (kWrites) is set if the operation
// reads (writes) array `a`.

struct Fill {
  static constexpr int kArrays = 1;
  static constexpr unsigned kReads = 0;
  static constexpr unsigned kWrites = 1;
  __device__ void operator()(float factor, float (&x)[1]) const { x[0] = factor; }
};

struct Assign {
  static constexpr int kArrays = 2;
  static constexpr unsigned kReads = 2;
  static constexpr unsigned kWrites = 1;
  __device__ void operator()(float factor, float (&x)[2]) const { x[0] = factor * x[1]; }
};

template <bool kFresh>
struct Accumulate {
  static constexpr int kArrays = 2;
  static constexpr unsigned kReads = kFresh ? 2 : 3;
  static constexpr unsigned kWrites = 1;
  __device__ void operator()(float factor, float (&x)[2]) const {
    x[0] = (kFresh ? 0.0F : x[0]) + factor * x[1];
  }
};

template <class Step>
struct Update {
  static constexpr int kArrays = 5;  // to, from, gradient, mean, squares
  static constexpr unsigned kMemory = (Step::kMean ? 8 : 0) | (Step::kSquares ? 16 : 0);
  static constexpr unsigned kReads = 6 | kMemory;
  static constexpr unsigned kWrites = 1 | kMemory;
  Step step;
  __device__ void operator()(float factor, float (&x)[5]) const {
    x[0] = step(factor, x[1], x[2], x[3], x[4]);
  }
};

constexpr bool has(unsigned arrays, int array) {
  return (arrays >> array & 1U) != 0;
}

template <int kArrays>
struct Addresses {
  float* at[kArrays];
};

/// Elements [head, head + 4 quads) are processed as vectors, the others one by one.
struct Split {
  std::size_t head = 0, quads = 0, count = 0;
};

template <class Op>
__device__ void do_one(const Op& op, const Addresses<Op::kArrays>& arrays, float factor,
                       std::size_t i) {
  float x[Op::kArrays] = {};
  for (int a = 0; a < Op::kArrays; ++a) {
    if (has(Op::kReads, a)) x[a] = arrays.at[a][i];
  }
  op(factor, x);
  for (int a = 0; a < Op::kArrays; ++a) {
    if (has(Op::kWrites, a)) arrays.at[a][i] = x[a];
  }
}

template <class Op>
__device__ void do_four(const Op& op, const Addresses<Op::kArrays>& arrays, float factor,
                        std::size_t i) {
  float4 x[Op::kArrays] = {};
  for (int a = 0; a < Op::kArrays; ++a) {
    if (has(Op::kReads, a)) x[a] = *reinterpret_cast<const float4*>(arrays.at[a] + i);
  }
  float y[Op::kArrays];
  for (int a = 0; a < Op::kArrays; ++a) y[a] = x[a].x;
  op(factor, y);
  for (int a = 0; a < Op::kArrays; ++a) x[a].x = y[a], y[a] = x[a].y;
  op(factor, y);
  for (int a = 0; a < Op::kArrays; ++a) x[a].y = y[a], y[a] = x[a].z;
  op(factor, y);
  for (int a = 0; a < Op::kArrays; ++a) x[a].z = y[a], y[a] = x[a].w;
  op(factor, y);
  for (int a = 0; a < Op::kArrays; ++a) {
    x[a].w = y[a];
    if (has(Op::kWrites, a)) *reinterpret_cast<float4*>(arrays.at[a] + i) = x[a];
  }
}

/// One thread of the block reads a later value, which may be in host memory.
__device__ float value_for_block(const KernelFactor& factor) {
  if (factor.later == nullptr) return factor.known;  // alike in all threads
  __shared__ float value;
  if (threadIdx.x == 0) value = value_of(factor);
  __syncthreads();
  return value;
}

template <class Op>
__global__ void each(Op op, Addresses<Op::kArrays> arrays, Split split, KernelFactor factor) {
  const float value = value_for_block(factor);
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t q = first; q < split.quads; q += threads) {
    do_four(op, arrays, value, split.head + kVector * q);
  }
  const std::size_t within = kVector * split.quads;
  for (std::size_t i = first; i < split.count - within; i += threads) {
    do_one(op, arrays, value, i < split.head ? i : i + within);
  }
}

/// Uses vectors if all arrays of the operation have the same offset from a 16-byte boundary; else
/// all elements are processed one by one.
template <class Op>
Split split_of(const Addresses<Op::kArrays>& arrays, std::size_t count) {
  constexpr std::uintptr_t kBytes = kVector * sizeof(float);
  std::uintptr_t offset = kBytes;
  for (int a = 0; a < Op::kArrays; ++a) {
    if (!has(Op::kReads | Op::kWrites, a)) continue;
    const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(arrays.at[a]) % kBytes;
    if (offset != kBytes && here != offset) return {count, 0, count};
    offset = here;
  }
  const std::size_t head = std::min<std::size_t>((kBytes - offset) % kBytes / sizeof(float), count);
  return {head, (count - head) / kVector, count};
}

unsigned blocks_for(std::size_t items, std::size_t most) {
  return static_cast<unsigned>(std::clamp<std::size_t>((items + kThreads - 1) / kThreads, 1, most));
}

template <class Op>
void for_each(const char* name, const Op& op, const Addresses<Op::kArrays>& arrays,
              std::size_t count, const KernelFactor& factor, cudaStream_t stream) {
  if (count == 0) return;
  const Split split = split_of<Op>(arrays, count);
  const std::size_t items = std::max(split.quads, count - kVector * split.quads);
  const auto bytes = static_cast<std::int64_t>(count * sizeof(float));
  const Cost cost{name, std::popcount(Op::kReads) * bytes, std::popcount(Op::kWrites) * bytes};
  launch(cost, &each<Op>, dim3(blocks_for(items, kMostBlocks)), dim3(kThreads), stream, op, arrays,
         split, factor);
}

/// Arrays that are only read are passed like written ones.
float* address_of(std::span<const float> array) {
  return const_cast<float*>(array.data());
}

/// The sum of the block's values by pairwise halving; valid in thread 0.
__device__ double sum_of_block(double mine, double* sums) {
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  return sums[0];
}

template <bool kDistance>
__global__ void sum_squares(const float* a, const float* b, std::size_t count, double* partials) {
  __shared__ double sums[kThreads];
  double mine = 0;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    double x = static_cast<double>(a[i]);
    if (kDistance) x -= static_cast<double>(b[i]);
    mine += x * x;
  }
  const double sum = sum_of_block(mine, sums);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

/// Runs as one block.
__global__ void sum_partials(const double* partials, unsigned count, double* square) {
  __shared__ double sums[kThreads];
  double mine = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine += partials[i];
  const double sum = sum_of_block(mine, sums);
  if (threadIdx.x == 0) *square = sum;
}

template <bool kDistance>
void square(const float* a, const float* b, std::size_t count, double* partials, double* result,
            cudaStream_t stream) {
  const unsigned blocks = blocks_for(count, kSquarePartials);
  const auto bytes = static_cast<std::int64_t>(count * sizeof(float));
  const Cost cost{"norm", (kDistance ? 2 : 1) * bytes, 8 * std::int64_t{blocks}};
  launch(cost, &sum_squares<kDistance>, dim3(blocks), dim3(kThreads), stream, a, b, count,
         partials);
  launch(Cost{"norm: finish", cost.written, 8}, &sum_partials, dim3(1), dim3(kThreads), stream,
         partials, blocks, result);
}

}  // namespace

void fill(std::span<float> to, float value, cudaStream_t stream) {
  for_each("fill", Fill{}, {{to.data()}}, to.size(), {value, nullptr}, stream);
}

void assign(std::span<float> to, std::span<const float> from, float scale, cudaStream_t stream) {
  for_each("scale", Assign{}, {{to.data(), address_of(from)}}, to.size(), {scale, nullptr}, stream);
}

void accumulate(std::span<float> into, std::span<const float> from, const KernelFactor& factor,
                bool fresh, cudaStream_t stream) {
  const Addresses<2> arrays{{into.data(), address_of(from)}};
  if (fresh)
    return for_each("sum of gradients", Accumulate<true>{}, arrays, into.size(), factor, stream);
  for_each("sum of gradients", Accumulate<false>{}, arrays, into.size(), factor, stream);
}

template <class Step>
void update(const Step& step, const UpdateArrays& arrays, const KernelFactor& scale,
            cudaStream_t stream) {
  const Addresses<5> addresses{{arrays.to.data(), address_of(arrays.from),
                                address_of(arrays.gradient), arrays.mean.data(),
                                arrays.squares.data()}};
  for_each("update", Update<Step>{step}, addresses, arrays.to.size(), scale, stream);
}
template void update(const SgdStep&, const UpdateArrays&, const KernelFactor&, cudaStream_t);
template void update(const MomentumStep&, const UpdateArrays&, const KernelFactor&, cudaStream_t);
template void update(const AdagradStep&, const UpdateArrays&, const KernelFactor&, cudaStream_t);
template void update(const AdamStep&, const UpdateArrays&, const KernelFactor&, cudaStream_t);

void square_of_norm(std::span<const float> a, double* partials, double* result,
                    cudaStream_t stream) {
  square<false>(a.data(), a.data(), a.size(), partials, result, stream);
}

void square_of_distance(std::span<const float> a, std::span<const float> b, double* partials,
                        double* result, cudaStream_t stream) {
  square<true>(a.data(), b.data(), a.size(), partials, result, stream);
}

}  // namespace paceline::cuda
