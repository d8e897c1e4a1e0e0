// SPDX-License-Identifier: MIT
#include "exec/cuda/facts.hpp"

#include <gtest/gtest.h>

#include "exec/cuda/accelerator.hpp"

namespace paceline::cuda {
namespace {

TEST(Facts, VersionsOfCudaAreWrittenWithADot) {
  EXPECT_EQ(cuda_version(13000), "13.0");
  EXPECT_EQ(cuda_version(12040), "12.4");
}

TEST(Facts, EitherNameGpusOrSayWhyThereAreNone) {
  const AcceleratorFacts facts = read_facts();
  EXPECT_EQ(facts.gpus.empty(), !facts.problem.empty()) << facts.problem;
  for (const std::string& version : {facts.runtime, facts.cudnn, facts.nccl}) {
    EXPECT_NE(version.find('.'), std::string::npos) << version;
  }
  for (const GpuFacts& gpu : facts.gpus) {
    EXPECT_NE(gpu.name, "");
    EXPECT_GT(gpu.memory, Bytes{});
    EXPECT_GE(gpu.sms, 1);
    EXPECT_EQ(gpu.bus.find(':'), 4U) << gpu.bus;
  }
}

TEST(Facts, AnOverrideOfTheLibrariesPrecisionIsPartOfTheirVersions) {
  setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  const AcceleratorFacts facts = read_facts();
  unsetenv("NVIDIA_TF32_OVERRIDE");
  for (const std::string& version : {facts.cudnn, facts.cublas}) {
    EXPECT_TRUE(version.ends_with(" (NVIDIA_TF32_OVERRIDE=1)")) << version;
  }
  EXPECT_EQ(read_facts().cudnn.find("TF32"), std::string::npos);
}

TEST(Accelerator, AnswersWithTheFacts) {
  const auto accelerator = make_accelerator();
  EXPECT_EQ(accelerator->facts().gpus.size(), read_facts().gpus.size());
}

}  // namespace
}  // namespace paceline::cuda
