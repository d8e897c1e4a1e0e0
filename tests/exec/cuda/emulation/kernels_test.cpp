// SPDX-License-Identifier: MIT
// Kernels on the emulation: every thread runs once, barriers and warps exchange the right values,
// and errors that end a GPU's context end the emulated one.
#include <atomic>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>

#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/emulation/device_code.hpp"
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"

namespace paceline::cuda {
namespace {

using testing::Each;
using testing::HasSubstr;

class KernelTest : public DeviceTest {
 protected:
  DeviceStream& stream() {
    if (stream_ == nullptr) stream_ = std::make_unique<DeviceStream>();
    return *stream_;
  }
  cudaError_t run() { return cudaStreamSynchronize(stream().get()); }
  template <class T>
  std::vector<T> read(const DeviceMemory& memory) {
    std::vector<T> host(memory.bytes() / sizeof(T));
    check(cudaMemcpy(host.data(), memory.data(), memory.bytes(), cudaMemcpyDefault), "reading");
    return host;
  }

 private:
  std::unique_ptr<DeviceStream> stream_;
};

__global__ void count_visits(int* visits, int width, int height) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const int at = static_cast<int>(y) * width + static_cast<int>(x);
  if (static_cast<int>(x) < width && static_cast<int>(y) < height) atomicAdd(&visits[at], 1);
}

TEST_F(KernelTest, EveryThreadOfEveryBlockRunsOnce) {
  const DeviceMemory visits(37 * 21 * sizeof(int));
  check(cudaMemsetAsync(visits.data(), 0, visits.bytes(), stream().get()), "clearing");
  launch(count_visits, dim3(5, 6), dim3(8, 4), stream().get(), visits.as<int>(), 37, 21);
  ASSERT_EQ(run(), cudaSuccess);
  EXPECT_THAT(read<int>(visits), Each(1));
  EXPECT_EQ(emulation::counts(0).kernels, 1);
}

/// Sum over the block by pairwise halving in shared memory, with a barrier after each step.
__global__ void sum_block(const float* values, float* sums) {
  __shared__ float partial[256];
  const unsigned i = threadIdx.x;
  partial[i] = values[blockIdx.x * blockDim.x + i];
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (i < half) partial[i] += partial[i + half];
  }
  if (i == 0) sums[blockIdx.x] = partial[0];
}

/// Sum over the block by shuffles, then one shared value per warp.
__global__ void sum_block_by_warps(const float* values, float* sums) {
  __shared__ float of_warp[32];
  float sum = values[blockIdx.x * blockDim.x + threadIdx.x];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffU, sum, by);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0.0F;
  for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, by);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

TEST_F(KernelTest, BarriersAndShufflesReduce) {
  std::vector<float> values(7 * 256);
  std::iota(values.begin(), values.end(), 0.0F);
  const DeviceMemory device(values.size() * sizeof(float));
  check(cudaMemcpyAsync(device.data(), values.data(), device.bytes(), cudaMemcpyDefault,
                        stream().get()),
        "copying");
  for (auto* kernel : {&sum_block, &sum_block_by_warps}) {
    for (int again = 0; again < 2; ++again) {  // forwards and backwards
      const DeviceMemory sums(7 * sizeof(float));
      launch(kernel, dim3(7), dim3(256), stream().get(), device.as<float>(), sums.as<float>());
      ASSERT_EQ(run(), cudaSuccess);
      const auto found = read<float>(sums);
      for (int block = 0; block < 7; ++block) {
        EXPECT_EQ(found[static_cast<std::size_t>(block)],
                  65536.0F * static_cast<float>(block) + 255 * 128);
      }
    }
  }
}

__global__ void votes(unsigned* ballots, int* any, int* all) {
  const unsigned i = threadIdx.x;
  ballots[i] = __ballot_sync(0xffffffffU, i % 3 == 0);
  any[i] = __any_sync(0xffffffffU, i == 40);
  all[i] = __all_sync(0xffffffffU, i >= 32);
  __syncwarp();
}

TEST_F(KernelTest, WarpsVoteForThemselves) {
  const DeviceMemory ballots(64 * sizeof(unsigned));
  const DeviceMemory any(64 * sizeof(int));
  const DeviceMemory all(64 * sizeof(int));
  launch(votes, dim3(1), dim3(64), stream().get(), ballots.as<unsigned>(), any.as<int>(),
         all.as<int>());
  ASSERT_EQ(run(), cudaSuccess);
  EXPECT_EQ(read<unsigned>(ballots)[5], 0x49249249U);
  EXPECT_EQ(read<unsigned>(ballots)[50], 0x92492492U);
  EXPECT_EQ(read<int>(any)[0], 0);
  EXPECT_EQ(read<int>(any)[32], 1);
  EXPECT_EQ(read<int>(all)[31], 0);
  EXPECT_EQ(read<int>(all)[63], 1);
}

__global__ void shuffles(int* up, int* down, int* of_lane, float* beyond) {
  const int i = static_cast<int>(threadIdx.x);
  up[i] = __shfl_up_sync(0xffffffffU, i, 3);
  down[i] = __shfl_down_sync(0xffffffffU, i, 3, 8);
  of_lane[i] = __shfl_sync(0xffffffffU, i, 2, 8);
  beyond[i] = __shfl_xor_sync(0xffffffffU, static_cast<float>(i), 16);
}

TEST_F(KernelTest, ShufflesReadTheLaneTheyName) {
  const DeviceMemory up(32 * sizeof(int));
  const DeviceMemory down(32 * sizeof(int));
  const DeviceMemory lane(32 * sizeof(int));
  const DeviceMemory beyond(32 * sizeof(float));
  launch(shuffles, dim3(1), dim3(24), stream().get(), up.as<int>(), down.as<int>(), lane.as<int>(),
         beyond.as<float>());
  ASSERT_EQ(run(), cudaSuccess);
  EXPECT_EQ(read<int>(up)[2], 2);
  EXPECT_EQ(read<int>(up)[20], 17);
  EXPECT_EQ(read<int>(down)[12], 15);
  EXPECT_EQ(read<int>(down)[13], 13);
  EXPECT_EQ(read<int>(lane)[21], 18);
  EXPECT_EQ(read<float>(beyond)[3], 19.0F);
  EXPECT_TRUE(std::isnan(read<float>(beyond)[12]));  // lane 28 does not exist
}

__global__ void leave_early(int* left) {
  if (threadIdx.x % 2 == 1) return;
  __syncthreads();
  const int count = __syncthreads_count(threadIdx.x >= 32);
  if (threadIdx.x == 0) *left = count;
}

__global__ void half_waits(int* nothing) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    *nothing = __shfl_sync(0xffffffffU, 1, 0);
    __syncthreads();
  }
}

__global__ void other_half_waits(float*) {
  if (threadIdx.x % 2 == 0) {
    __shfl_sync(0xffffffffU, 1, 0);
  } else {
    __syncthreads();
  }
}

TEST_F(KernelTest, DifferentBarriersFault) {
  const DeviceMemory memory(sizeof(int));
  launch(half_waits, dim3(1), dim3(64), stream().get(), memory.as<int>());
  EXPECT_EQ(run(), cudaErrorLaunchFailure);
  EXPECT_THAT(emulation::last_fault(),
              HasSubstr("threads of a block wait at different barriers: kernels_test.cpp:"));
}

TEST_F(KernelTest, ThreadsThatEndedAreNotWaitedFor) {
  const DeviceMemory left(sizeof(int));
  launch(leave_early, dim3(1), dim3(64), stream().get(), left.as<int>());
  ASSERT_EQ(run(), cudaSuccess);
  EXPECT_EQ(read<int>(left)[0], 16);
}

TEST_F(KernelTest, ThreadsThatWaitForEachOtherFaultAndTheDeviceIsLostUntilReset) {
  const DeviceMemory memory(4);
  launch(other_half_waits, dim3(1), dim3(64), stream().get(), memory.as<float>());
  EXPECT_EQ(run(), cudaErrorLaunchFailure);
  EXPECT_THAT(emulation::last_fault(), HasSubstr("threads of a block wait for each other"));
  EXPECT_EQ(cudaStreamQuery(stream().get()), cudaErrorLaunchFailure);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  const DeviceStream fresh;
  const DeviceMemory visits(sizeof(int));
  check(cudaMemset(visits.data(), 0, 4), "clearing");
  launch(count_visits, dim3(1), dim3(1), fresh.get(), visits.as<int>(), 1, 1);
  EXPECT_EQ(cudaStreamSynchronize(fresh.get()), cudaSuccess);
  EXPECT_EQ(read<int>(visits)[0], 1);
}

std::atomic<int> locals{0};

/// A local variable of a kernel, counted.
struct Local {
  Local() { ++locals; }
  ~Local() { --locals; }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
};

__global__ void one_traps(int* most) {
  const Local local;
  *most = locals;
  if (threadIdx.x == 32) __trap();
  __syncthreads();
}

TEST_F(KernelTest, AFaultUnwindsTheThreadsThatWait) {
  const PinnedMemory most(sizeof(int));
  launch(one_traps, dim3(1), dim3(64), stream().get(), most.as<int>());
  EXPECT_EQ(run(), cudaErrorLaunchFailure);
  EXPECT_GT(*most.as<int>(), 30);
  EXPECT_EQ(locals, 0);
}

TEST_F(KernelTest, ImpossibleLaunchesAreRefused) {
  const DeviceMemory memory(sizeof(int));
  EXPECT_THROW(launch(leave_early, dim3(0), dim3(1), stream().get(), memory.as<int>()), Error);
  EXPECT_THROW(launch(leave_early, dim3(1), dim3(1025), stream().get(), memory.as<int>()), Error);
  EXPECT_EQ(run(), cudaSuccess);
}

}  // namespace
}  // namespace paceline::cuda
