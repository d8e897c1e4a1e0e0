// SPDX-License-Identifier: MIT
// The main program of tests on real GPUs, which exits with 77 ("skipped") if there is none, and the
// fixture's functions for real devices.
#include <cstdio>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {

bool emulated() {
  return false;
}

void restart_devices(int) {}

bool fail_next_kernel(int) {
  return false;
}

void leave_out_arithmetic(int) {}

bool limit_memory(int, std::size_t) {
  return false;
}

bool limit_fusion(bool) {
  return false;
}

std::int64_t allocations(int) {
  return -1;
}

}  // namespace paceline::cuda

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (!testing::GTEST_FLAG(list_tests) && (status != cudaSuccess || devices == 0)) {
    std::printf("no GPU: %s\n", cudaGetErrorString(status));
    return 77;
  }
  return RUN_ALL_TESTS();
}
