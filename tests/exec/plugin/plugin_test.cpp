// SPDX-License-Identifier: MIT
// The loader's messages; plug-ins that load are tested in tests/cli/cuda_test.cpp.
#include "exec/plugin/plugin.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(CudaPlugin, IsNotThereWhereThereIsNoFile) {
  CudaPlugin plugin({{13, kCudaPlugin, {"/nowhere/a.so", "/nowhere/b.so"}},
                     {12, kCuda12Plugin, {"/nowhere/c.so"}}});
  EXPECT_FALSE(plugin.installed());
  EXPECT_EQ(plugin.accelerator(), nullptr);
  EXPECT_EQ(plugin.problem(),
            "this build has no CUDA layer (libpaceline_cuda.so is not beside paceline)");
}

TEST(CudaPlugin, IsLookedForBesideTheProgram) {
  const auto places = plugin_places(kCudaPlugin, kCudaPluginVariable);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].filename(), "libpaceline_cuda.so");
  EXPECT_EQ(places[0].parent_path().parent_path() / "lib" / "paceline" / "libpaceline_cuda.so",
            places[1]);
}

TEST(CudaPlugin, TheNewerCudaIsTriedFirst) {
  const std::vector<CudaLayer> layers = cuda_layers();
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].cuda, 13);
  EXPECT_EQ(layers[0].places[0].filename(), "libpaceline_cuda.so");
  EXPECT_EQ(layers[1].cuda, 12);
  EXPECT_EQ(layers[1].places[0].filename(), "libpaceline_cuda12.so");
}

TEST(CudaPlugin, TheLoadersReasonIsShortened) {
  EXPECT_EQ(shortened_load_error("libcudnn.so.9: cannot open shared object file: No such file or "
                                 "directory"),
            "libcudnn.so.9 is missing (LD_LIBRARY_PATH names folders to search)");
  EXPECT_EQ(shortened_load_error("/a/b/libpaceline_cuda.so: undefined symbol: ncclGetVersion"),
            "undefined symbol: ncclGetVersion");
  EXPECT_EQ(shortened_load_error("/lib/libc.so.6: version `GLIBC_2.38' not found (required by "
                                 "/a/libpaceline_cuda.so)"),
            "version `GLIBC_2.38' not found (required by /a/libpaceline_cuda.so)");
  EXPECT_EQ(shortened_load_error("/a/x.so: one line\nand another"), "one line and another");
}

TEST(AcceleratorAbi, NamesTheBuild) {
  const std::string abi = accelerator_abi();
  EXPECT_NE(abi.find(", "), std::string::npos) << abi;
  EXPECT_EQ(abi, accelerator_abi());
}

}  // namespace
}  // namespace paceline
