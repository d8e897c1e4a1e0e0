// SPDX-License-Identifier: MIT
#include "exec/cuda/gpu_fitness.hpp"

#include <gtest/gtest.h>

namespace paceline::cuda {
namespace {

/// Built with CUDA 13.0 as in the portable folder.
CudaSoftware software() {
  return {"75-real 80-real 86-real 90-real 100-real 120-real 90-virtual", 13000, 13000, 91900};
}

TEST(GpuFitness, MachineCodeIsForLaterGpusOfItsMajorVersion) {
  CudaSoftware built = software();
  built.driver = 12090;  // compiles no PTX of CUDA 13
  for (const int capability : {75, 80, 86, 87, 89, 90, 100, 103, 120, 121}) {
    EXPECT_EQ(unfit(capability, built), "") << capability;
  }
}

TEST(GpuFitness, OlderGpusAreRefused) {
  EXPECT_EQ(unfit(70, software()),
            "is of compute capability 7.0, and the layer of CUDA 13 begins at 7.5");
}

TEST(GpuFitness, PtxIsForAllLaterGpusOnADriverThatIsNotOlder) {
  CudaSoftware built = software();
  EXPECT_EQ(unfit(110, built), "");
  built.toolkit = 13010;
  EXPECT_EQ(unfit(110, built),
            "is of compute capability 11.0, for which the layer of CUDA 13 has no machine code (a "
            "driver of CUDA 13.1 would compile it; this is 13.0)");
  built.architectures = "75-virtual 90-real";
  built.driver = built.toolkit;
  for (const int capability : {75, 80, 89, 100, 120}) EXPECT_EQ(unfit(capability, built), "");
}

TEST(GpuFitness, WithoutPtxThereIsNothingToCompile) {
  CudaSoftware built = software();
  built.architectures = "80-real 90a";
  EXPECT_EQ(unfit(90, built), "");
  EXPECT_EQ(unfit(100, built),
            "is of compute capability 10.0, for which the layer of CUDA 13 has no machine code");
}

TEST(GpuFitness, AnArchitectureThatIsNoNumberRefusesNothing) {
  CudaSoftware built = software();
  built.architectures = "native";
  EXPECT_EQ(unfit(80, built), "");
}

TEST(GpuFitness, CudnnMustSupportTheGpu) {
  CudaSoftware built = software();
  built.cudnn = 90501;
  EXPECT_EQ(unfit(100, built), "needs cuDNN 9.7 or newer; this is 9.5.1");
  EXPECT_EQ(unfit(90, built), "");
  built.architectures = "70-real";
  built.toolkit = 12090;
  EXPECT_EQ(unfit(70, built), "");
  built.cudnn = 91100;
  EXPECT_EQ(unfit(70, built), "needs cuDNN 9.10 or older; this is 9.11.0");
}

}  // namespace
}  // namespace paceline::cuda
