// SPDX-License-Identifier: MIT
/// \file
/// The devices of the tests of exec/cuda, emulated or real. The same objects are linked into
/// `cuda_emulated_test`, with emulation/device_fixture.cpp, and into `cuda_test`, which needs a
/// GPU, with device_main.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// Whether the devices are emulated.
bool emulated();

/// Resets the emulated machine to `devices` empty devices; does nothing for real ones.
void restart_devices(int devices);

/// Provides fresh devices before every test, or skips the test if the computer has fewer GPUs than
/// it needs (derive from DevicesTest<2> for two). Device 0 is current.
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

/// Makes the device's next kernel fault with cudaErrorIllegalAddress. False if not supported: skip
/// the test.
bool fail_next_kernel(int device);

/// Disables the arithmetic of emulated libraries, for tests that do not check results.
void leave_out_arithmetic(int device);

/// Limits the device's memory to `bytes`. False if not supported.
bool limit_memory(int device, std::size_t bytes);

/// Whether cuDNN finds plans for single operations only. False if not supported.
bool limit_fusion(bool single);

/// Number of allocations on the device so far; -1 if not counted.
std::int64_t allocations(int device);

}  // namespace paceline::cuda
