// SPDX-License-Identifier: MIT
/// \file
/// What tests of exec/cuda stand on: fresh devices, emulated or real. The same tests are linked
/// into `cuda_emulated_test` and into `cuda_test`, which needs a GPU.
#pragma once
#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#ifdef PACELINE_EMULATED_LAUNCH
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"
#endif

namespace paceline::cuda {

#ifdef PACELINE_EMULATED_LAUNCH
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

/// Before every test: emulated devices as many as the test needs (derive from DevicesTest<2>), with
/// nothing on them; or skips where the computer has fewer GPUs. Device 0 is the current one.
template <int devices>
class DevicesTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef PACELINE_EMULATED_LAUNCH
    emulation::restart(devices);
#endif
    int found = 0;
    if (cudaGetDeviceCount(&found) != cudaSuccess) found = 0;
    if (found < devices) GTEST_SKIP() << "needs " << devices << " GPUs, there are " << found;
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
};
using DeviceTest = DevicesTest<1>;

/// Makes the device's next kernel fault with cudaErrorIllegalAddress. False where it cannot: then
/// the test skips.
inline bool fail_next_kernel([[maybe_unused]] int device) {
#ifdef PACELINE_EMULATED_LAUNCH
  emulation::fail_kernel(device, 0);
#endif
  return kEmulated;
}

/// Leaves out the libraries' arithmetic where it is emulated, for tests that do not look at
/// results.
inline void leave_out_arithmetic([[maybe_unused]] int device) {
#ifdef PACELINE_EMULATED_LAUNCH
  emulation::idle_libraries(device);
#endif
}

/// Makes the device say that it has so much memory. False where it cannot.
inline bool limit_memory([[maybe_unused]] int device, [[maybe_unused]] std::size_t bytes) {
#ifdef PACELINE_EMULATED_LAUNCH
  emulation::set_memory(device, bytes);
#endif
  return kEmulated;
}

}  // namespace paceline::cuda
