// SPDX-License-Identifier: MIT
// The main program of tests that need a GPU: 77, "skipped", where there is none.
#include <cstdio>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

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
