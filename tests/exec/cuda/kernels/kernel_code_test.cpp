// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/kernel_code.hpp"

#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

class KernelCodeTest : public DeviceTest {};

TEST_F(KernelCodeTest, IsLoadedAhead) {
  if (emulated()) {
    EXPECT_EQ(load_kernels(), 0);
    return;
  }
  int driver = 0;
  ASSERT_EQ(cudaDriverGetVersion(&driver), cudaSuccess);
  if (driver < 12050) GTEST_SKIP() << "the driver cannot list kernels";
  EXPECT_GT(load_kernels(), 300);
}

}  // namespace
}  // namespace paceline::cuda
