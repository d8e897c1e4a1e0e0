// SPDX-License-Identifier: MIT
/// \file
/// What tests of exec/cuda stand on: fresh devices, emulated or real. The same objects are linked
/// into `cuda_emulated_test`, with emulation/device_fixture.cpp, and into `cuda_test`, which needs
/// a GPU, with device_main.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// Whether the devices are emulated.
bool emulated();

/// Emulated devices, so many of them, with nothing on them; real ones stay as they are.
void restart_devices(int devices);

/// Before every test: fresh devices as many as the test needs (derive from DevicesTest<2>), or
/// skips where the computer has fewer GPUs. Device 0 is the current one.
template <int devices>
class DevicesTest : public testing::Test {
 protected:
  void SetUp() override {
    restart_devices(devices);
    int found = 0;
    if (cudaGetDeviceCount(&found) != cudaSuccess) found = 0;
    if (found < devices) GTEST_SKIP() << "needs " << devices << " GPUs, there are " << found;
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
};
using DeviceTest = DevicesTest<1>;

/// Makes the device's next kernel fault with cudaErrorIllegalAddress. False where it cannot: then
/// the test skips.
bool fail_next_kernel(int device);

/// Leaves out the libraries' arithmetic where it is emulated, for tests that do not look at
/// results.
void leave_out_arithmetic(int device);

/// Makes the device say that it has so much memory. False where it cannot.
bool limit_memory(int device, std::size_t bytes);

/// Allocations on the device so far; -1 where they are not counted.
std::int64_t allocations(int device);

}  // namespace paceline::cuda
