// SPDX-License-Identifier: MIT
// The emulated runtime: order within and concurrency between streams, events, capture and graphs,
// memory limits, sticky faults, and calls that CUDA forbids.
#include <cmath>
#include <numeric>
#include <thread>
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
using testing::ElementsAre;
using testing::HasSubstr;

class StreamsTest : public DevicesTest<2> {};

/// Waits until the host (or another stream) has written the word.
__global__ void await(int* word, int value) {
  while (std::atomic_ref<int>(*word).load() != value) __nanosleep(1000);
}

__global__ void twice_and_add(int* number, int added) {
  *number = 2 * *number + added;
}

__global__ void fill(float* values, int count, float value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int>(i) < count) values[i] = value;
}

/// A word that the host and devices access.
struct Word {
  PinnedMemory memory{sizeof(int)};
  int* get() const { return memory.as<int>(); }
  void set(int value) const { std::atomic_ref<int>(*get()).store(value); }
};

TEST_F(StreamsTest, AStreamWorksInOrderAndOthersGoOnBesideIt) {
  const Word gate;
  const Word number;
  const DeviceStream held;
  const DeviceStream other;
  launch(await, dim3(1), dim3(1), held.get(), gate.get(), 1);
  for (const int added : {1, 0, 1}) {
    launch(twice_and_add, dim3(1), dim3(1), held.get(), number.get(), added);
  }
  const DeviceMemory values(10 * sizeof(float));
  launch(fill, dim3(1), dim3(10), other.get(), values.as<float>(), 10, 3.0F);
  ASSERT_EQ(cudaStreamSynchronize(other.get()), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(held.get()), cudaErrorNotReady);
  gate.set(1);
  ASSERT_EQ(cudaStreamSynchronize(held.get()), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(held.get()), cudaSuccess);
  EXPECT_EQ(*number.get(), 5);
}

TEST_F(StreamsTest, EventsOrderStreamsOfTwoDevicesAndMeasureTime) {
  const Word gate;
  const Word number;
  const DeviceStream first;
  const DeviceEvent start;
  const DeviceEvent done;
  ASSERT_EQ(cudaEventQuery(done.get()), cudaSuccess);  // never recorded
  start.record(first.get());
  launch(await, dim3(1), dim3(1), first.get(), gate.get(), 1);
  launch(twice_and_add, dim3(1), dim3(1), first.get(), number.get(), 5);
  done.record(first.get());

  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const DeviceStream second;
  ASSERT_EQ(cudaStreamWaitEvent(second.get(), done.get(), 0), cudaSuccess);
  launch(twice_and_add, dim3(1), dim3(1), second.get(), number.get(), 0);
  ASSERT_EQ(cudaEventSynchronize(start.get()), cudaSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  EXPECT_FALSE(done.passed());
  EXPECT_EQ(cudaStreamQuery(second.get()), cudaErrorNotReady);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start.get(), done.get()), cudaErrorNotReady);
  gate.set(1);
  ASSERT_EQ(cudaStreamSynchronize(second.get()), cudaSuccess);
  EXPECT_TRUE(done.passed());
  EXPECT_EQ(*number.get(), 10);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start.get(), done.get()), cudaSuccess);
  EXPECT_GE(milliseconds, 3.0F);
}

TEST_F(StreamsTest, CopiesAndHostFunctionsAreInOrderToo) {
  const DeviceStream stream;
  const DeviceMemory device(4 * sizeof(int));
  std::vector<int> from{1, 2, 3, 4};
  ASSERT_EQ(cudaMemcpyAsync(device.data(), from.data(), 16, cudaMemcpyDefault, stream.get()),
            cudaSuccess);
  from.assign(4, 0);  // pageable memory has been staged
  ASSERT_EQ(cudaMemsetAsync(device.as<int>() + 3, 0, 4, stream.get()), cudaSuccess);
  std::vector<int> to(4);
  ASSERT_EQ(cudaMemcpyAsync(to.data(), device.data(), 16, cudaMemcpyDefault, stream.get()),
            cudaSuccess);
  struct HostCall {
    const std::vector<int>* read;
    int sum = 0;
    cudaError_t status = cudaSuccess;
  } call{&to};
  ASSERT_EQ(cudaLaunchHostFunc(
                stream.get(),
                [](void* data) {
                  auto& found = *static_cast<HostCall*>(data);
                  found.sum = std::accumulate(found.read->begin(), found.read->end(), 0);
                  found.status = cudaStreamSynchronize(nullptr);  // forbidden in a host function
                },
                &call),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_THAT(to, ElementsAre(1, 2, 3, 0));
  EXPECT_EQ(call.sum, 6);
  EXPECT_EQ(call.status, cudaErrorNotPermitted);
  const auto counts = emulation::counts(0);
  EXPECT_EQ(counts.copies, 2);
  EXPECT_EQ(counts.memsets, 1);
  EXPECT_EQ(counts.host_functions, 1);
  EXPECT_EQ(cudaMemcpyAsync(device.data(), to.data(), 17, cudaMemcpyDefault, stream.get()),
            cudaErrorInvalidValue);
}

TEST_F(StreamsTest, AGraphRepeatsWhatWasCaptured) {
  const DeviceStream stream;
  const DeviceStream side;
  const DeviceEvent forked;
  const DeviceEvent joined;
  const DeviceEvent outside;
  const Word number;
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  launch(twice_and_add, dim3(1), dim3(1), stream.get(), number.get(), 1);
  forked.record(stream.get());
  ASSERT_EQ(cudaStreamWaitEvent(side.get(), forked.get(), 0), cudaSuccess);
  launch(twice_and_add, dim3(1), dim3(1), side.get(), number.get(), 0);
  joined.record(side.get());
  ASSERT_EQ(cudaStreamWaitEvent(stream.get(), joined.get(), 0), cudaSuccess);
  ASSERT_EQ(cudaEventRecordWithFlags(outside.get(), stream.get(), cudaEventRecordExternal),
            cudaSuccess);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ASSERT_EQ(cudaStreamIsCapturing(stream.get(), &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  cudaGraphExec_t repeat = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&repeat, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(*number.get(), 0);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(cudaGraphLaunch(repeat, stream.get()), cudaSuccess);
  ASSERT_EQ(cudaGraphExecDestroy(repeat), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(outside.get()), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(*number.get(), 10);  // 0, 1, 2; 5, 10
  EXPECT_EQ(cudaEventQuery(forked.get()), cudaErrorCapturedEvent);
  EXPECT_EQ(emulation::counts(0).kernels, 4);
  EXPECT_EQ(emulation::counts(0).graph_launches, 2);
}

/// A launch does not say anything about the event until it has come to the node: a query before
/// that sees what was recorded earlier.
TEST_F(StreamsTest, AGraphRecordsAnEventWhenItComesToItsNode) {
  const DeviceStream stream;
  const DeviceEvent start, first, second;
  const Word gate, number;
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  launch(await, dim3(1), dim3(1), stream.get(), gate.get(), 1);
  ASSERT_EQ(cudaEventRecordWithFlags(first.get(), stream.get(), cudaEventRecordExternal),
            cudaSuccess);
  launch(twice_and_add, dim3(1), dim3(1), stream.get(), number.get(), 1);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  cudaGraphExec_t repeat = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&repeat, graph, 0), cudaSuccess);

  std::size_t count = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
  std::vector<cudaGraphNode_t> nodes(count);
  ASSERT_EQ(cudaGraphGetNodes(graph, nodes.data(), &count), cudaSuccess);
  std::vector<cudaGraphNodeType> types(count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(cudaGraphNodeGetType(nodes[i], &types[i]), cudaSuccess);
  }
  EXPECT_THAT(types, ElementsAre(cudaGraphNodeTypeKernel, cudaGraphNodeTypeEventRecord,
                                 cudaGraphNodeTypeKernel));

  start.record(stream.get());
  ASSERT_EQ(cudaGraphLaunch(repeat, stream.get()), cudaSuccess);
  // of later launches alone
  ASSERT_EQ(cudaGraphExecEventRecordNodeSetEvent(repeat, nodes[1], second.get()), cudaSuccess);
  EXPECT_EQ(cudaGraphExecEventRecordNodeSetEvent(repeat, nodes[0], second.get()),
            cudaErrorInvalidValue);
  ASSERT_EQ(cudaGraphLaunch(repeat, stream.get()), cudaSuccess);
  float to_first = 0, to_second = 0;
  EXPECT_EQ(cudaEventQuery(first.get()), cudaSuccess);  // as before its first recording
  EXPECT_EQ(cudaEventElapsedTime(&to_first, start.get(), first.get()),
            cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaEventSynchronize(start.get()), cudaSuccess);  // the stream may begin late
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  gate.set(1);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&to_first, start.get(), first.get()), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&to_second, start.get(), second.get()), cudaSuccess);
  EXPECT_GE(to_first, 3.0F);
  EXPECT_GT(to_second, to_first);
  EXPECT_EQ(*number.get(), 3);
  ASSERT_EQ(cudaGraphExecDestroy(repeat), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(StreamsTest, WhatACaptureForbidsBreaksIt) {
  const DeviceStream stream;
  const DeviceEvent event;
  cudaGraph_t graph = nullptr;
  void* data = nullptr;
  const auto capture = [&] {
    EXPECT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), cudaSuccess);
  };
  capture();
  EXPECT_EQ(cudaMalloc(&data, 1), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaErrorStreamCaptureInvalidated);
  capture();
  std::thread([&] {  // any thread: the mode is global
    EXPECT_EQ(cudaEventQuery(event.get()), cudaErrorStreamCaptureUnsupported);
  })
      .join();
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaErrorStreamCaptureInvalidated);
  capture();
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaErrorStreamCaptureInvalidated);
  const DeviceStream other;
  event.record(other.get());
  ASSERT_EQ(cudaStreamSynchronize(other.get()), cudaSuccess);
  capture();
  EXPECT_EQ(cudaStreamWaitEvent(stream.get(), event.get(), 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  std::thread([&] { EXPECT_EQ(cudaEventQuery(event.get()), cudaSuccess); }).join();
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(StreamsTest, MemoryEndsAndIsCountedAndFreshMemoryIsNotANumber) {
  ASSERT_TRUE(limit_memory(0, 10000));
  const DeviceMemory first(6000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 256, 0U);
  EXPECT_TRUE(std::isnan(first.as<float>()[1499]));
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(free, 4000U);
  EXPECT_EQ(total, 10000U);
  void* data = nullptr;
  EXPECT_EQ(cudaMalloc(&data, 4001), cudaErrorMemoryAllocation);
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&data, 4000), cudaSuccess);
  EXPECT_EQ(emulation::counts(0).live_bytes, 10000U);
  EXPECT_EQ(emulation::counts(1).live_bytes, 0U);
  EXPECT_EQ(cudaFree(data), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
  EXPECT_EQ(emulation::counts(0).live_allocations, 1);
}

TEST_F(StreamsTest, AFaultLastsOnItsDeviceUntilReset) {
  const DeviceStream stream;
  const DeviceEvent event;
  const Word number;
  emulation::fail_kernel(0, 1);
  for (int i = 0; i < 2; ++i) {
    launch(twice_and_add, dim3(1), dim3(1), stream.get(), number.get(), 1);
    cudaStreamSynchronize(stream.get());
  }
  EXPECT_EQ(*number.get(), 1);
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaErrorIllegalAddress);
  EXPECT_THROW(launch(twice_and_add, dim3(1), dim3(1), stream.get(), number.get(), 1), Error);
  void* data = nullptr;
  EXPECT_EQ(cudaMalloc(&data, 1), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaEventQuery(event.get()), cudaErrorIllegalAddress);
  EXPECT_THAT(emulation::last_fault(), HasSubstr("a test asked"));

  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);  // the other device is not affected
  const DeviceStream other;
  launch(twice_and_add, dim3(1), dim3(1), other.get(), number.get(), 0);
  EXPECT_EQ(cudaStreamSynchronize(other.get()), cudaSuccess);
  EXPECT_EQ(*number.get(), 2);

  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaErrorInvalidResourceHandle);
  const DeviceStream fresh;
  launch(twice_and_add, dim3(1), dim3(1), fresh.get(), number.get(), 0);
  EXPECT_EQ(cudaStreamSynchronize(fresh.get()), cudaSuccess);
  EXPECT_EQ(*number.get(), 4);
}

TEST_F(StreamsTest, AResetEndsKernelsThatWouldWaitForEver) {
  const Word gate;
  const DeviceStream stuck;
  launch(await, dim3(1), dim3(1), stuck.get(), gate.get(), 1);
  launch(twice_and_add, dim3(1), dim3(1), stuck.get(), gate.get(), 1);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(*gate.get(), 0);
}

TEST_F(StreamsTest, DevicesAreCountedAndReachEachOther) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  EXPECT_STREQ(properties.name, "Emulated GPU");
  EXPECT_EQ(properties.multiProcessorCount, 132);
  int can = 0;
  ASSERT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  emulation::restart(0);
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
}

}  // namespace
}  // namespace paceline::cuda
