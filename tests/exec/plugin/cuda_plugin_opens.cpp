// SPDX-License-Identifier: MIT
// The plug-in of this build: it opens on any computer with CUDA's libraries, and reports its
// findings. A program of its own, since the sanitizer builds have no plug-in.
#include <gmock/gmock.h>

#include "exec/plugin/plugin.hpp"

namespace paceline {
namespace {

TEST(RealPlugin, OpensAndNamesGpusOrSaysWhyThereAreNone) {
  CudaPlugin plugin({{0, kCudaPlugin, {PACELINE_CUDA_PLUGIN_FILE}}});
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
