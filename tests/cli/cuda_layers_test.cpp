// SPDX-License-Identifier: MIT
// Two CUDA plug-ins beside each other, as copies of the fake one: which is chosen, and the reasons
// why none is.
#include <filesystem>

#include "exec/plugin/plugin.hpp"
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

namespace fs = std::filesystem;

class CudaLayersTest : public CommandTest {
 protected:
  void TearDown() override {
    unsetenv("FAKE_GPUS");
    unsetenv("FAKE_GPUS_12");
    CommandTest::TearDown();
  }
  /// Both plug-ins in a folder, on a driver that supports this CUDA. A library stays loaded, so
  /// that each test has copies of its own.
  CudaPlugin plugins(int driver, const char* newer = PACELINE_FAKE_ACCELERATOR) {
    const fs::path folder = fs::absolute("plugins");
    fs::create_directories(folder);
    fs::copy_file(newer, folder / kCudaPlugin);
    fs::copy_file(PACELINE_FAKE_ACCELERATOR, folder / kCuda12Plugin);
    return CudaPlugin(
        {{13, kCudaPlugin, {folder / kCudaPlugin}}, {12, kCuda12Plugin, {folder / kCuda12Plugin}}},
        [driver] { return driver; });
  }
};

TEST_F(CudaLayersTest, TheNewerCudaIsTaken) {
  setenv("FAKE_GPUS_12", "old card", 1);
  CudaPlugin both = plugins(13000);
  EXPECT_NE(both.accelerator(), nullptr);
  EXPECT_EQ(both.problem(), "");
}

TEST_F(CudaLayersTest, ADriverThatIsTooOldForItLeavesTheOlder) {
  setenv("FAKE_GPUS", "old card", 1);
  CudaPlugin both = plugins(12020);
  EXPECT_NE(both.accelerator(), nullptr) << both.problem();
}

TEST_F(CudaLayersTest, ALibraryThatIsMissingLeavesTheOlder) {
  CudaPlugin both = plugins(13000, PACELINE_NEEDY_ACCELERATOR);
  EXPECT_NE(both.accelerator(), nullptr) << both.problem();
}

TEST_F(CudaLayersTest, ACardThatIsTooOldForItLeavesTheOlder) {
  setenv("FAKE_GPUS", "old card", 1);
  CudaPlugin both = plugins(13000);
  EXPECT_NE(both.accelerator(), nullptr) << both.problem();
}

TEST_F(CudaLayersTest, WithoutAUsableOneEachHasItsReason) {
  setenv("FAKE_GPUS_12", "old card", 1);
  CudaPlugin old_driver = plugins(12020);
  EXPECT_EQ(old_driver.accelerator(), nullptr);
  EXPECT_EQ(old_driver.problem(),
            "CUDA 13: the NVIDIA driver (CUDA 12.2) is too old for CUDA 13; CUDA 12: GPU 0 is too "
            "old");
  fs::remove_all("plugins");
  CudaPlugin needy = plugins(11080, PACELINE_NEEDY_ACCELERATOR);
  EXPECT_EQ(needy.problem(),
            "CUDA 13: the NVIDIA driver (CUDA 11.8) is too old for CUDA 13; CUDA 12: the NVIDIA "
            "driver (CUDA 11.8) is too old for CUDA 12");
  fs::remove_all("plugins");
  CudaPlugin no_library = plugins(13000, PACELINE_NEEDY_ACCELERATOR);
  EXPECT_EQ(no_library.problem(),
            "CUDA 13: cannot load the CUDA layer: libpaceline_absent.so is missing "
            "(LD_LIBRARY_PATH names folders to search); CUDA 12: GPU 0 is too old");
}

TEST_F(CudaLayersTest, WithoutADriverOneIsTried) {
  setenv("FAKE_GPUS", "no driver", 1);
  CudaPlugin both = plugins(0);
  EXPECT_EQ(both.accelerator(), nullptr);
  EXPECT_EQ(both.problem(), "no NVIDIA driver on this computer");
}

TEST_F(CudaLayersTest, TheOlderAloneIsEnough) {
  CudaPlugin both = plugins(13000);
  fs::remove(fs::path("plugins") / kCudaPlugin);
  EXPECT_TRUE(both.installed());
  EXPECT_NE(both.accelerator(), nullptr) << both.problem();
}

}  // namespace
}  // namespace paceline
