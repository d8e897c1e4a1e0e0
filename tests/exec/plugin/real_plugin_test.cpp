// SPDX-License-Identifier: MIT
// The plug-in of this very build: it opens wherever CUDA's libraries are, and knows what it finds.
#ifdef PACELINE_CUDA_PLUGIN_FILE

#include <gmock/gmock.h>

#include "exec/plugin/plugin.hpp"

namespace paceline {
namespace {

TEST(RealPlugin, OpensAndNamesGpusOrSaysWhyThereAreNone) {
  CudaPlugin plugin(std::vector<std::filesystem::path>{PACELINE_CUDA_PLUGIN_FILE});
  ASSERT_TRUE(plugin.installed());
  if (Accelerator* accelerator = plugin.accelerator()) {
    EXPECT_EQ(plugin.problem(), "");
    EXPECT_NE(accelerator->facts().gpus.front().name, "");
  } else {
    EXPECT_THAT(plugin.problem(), testing::HasSubstr("NVIDIA"));
  }
}

}  // namespace
}  // namespace paceline

#endif
