// SPDX-License-Identifier: MIT
#include "exec/calibrate/pcie.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace paceline {
namespace {

class PcieTest : public testing::Test {
 protected:
  void SetUp() override {
    devices_ = std::filesystem::path(testing::TempDir()) / ("pcie-" + std::to_string(getpid()));
    std::filesystem::create_directories(devices_ / kBus);
  }
  void TearDown() override { std::filesystem::remove_all(devices_); }
  void set_link(const std::string& speed, const std::string& width) const {
    std::ofstream(devices_ / kBus / "max_link_speed") << speed << "\n";
    std::ofstream(devices_ / kBus / "max_link_width") << width << "\n";
  }

  static constexpr const char* kBus = "0000:0f:00.0";
  std::filesystem::path devices_;
};

// The bandwidths of the links in the machine presets: PCI Express Base Specification.
TEST_F(PcieTest, RecognisesEveryGeneration) {
  set_link("32.0 GT/s PCIe", "16");
  const auto five = pcie_link("0000:0F:00.0", devices_);
  ASSERT_TRUE(five);
  EXPECT_EQ(five->name, "PCIe 5.0 x16");
  EXPECT_NEAR(five->bandwidth.value(), 63.015e9, 1e6);
  set_link("8.0 GT/s PCIe", "16");
  EXPECT_NEAR(pcie_link(kBus, devices_)->bandwidth.value(), 15.754e9, 1e6);
  set_link("2.5 GT/s PCIe", "1");
  EXPECT_NEAR(pcie_link(kBus, devices_)->bandwidth.value(), 0.25e9, 1);
}

TEST_F(PcieTest, IsEmptyForUnknownValues) {
  EXPECT_FALSE(pcie_link(kBus, devices_)) << "no files";
  set_link("Unknown", "255");
  EXPECT_FALSE(pcie_link(kBus, devices_));
  set_link("32.0 GT/s PCIe", "0");
  EXPECT_FALSE(pcie_link(kBus, devices_));
  set_link("33.0 GT/s PCIe", "16");
  EXPECT_FALSE(pcie_link(kBus, devices_));
  EXPECT_FALSE(pcie_link("", devices_));
  EXPECT_FALSE(pcie_link("../" + std::string(kBus), devices_));
}

}  // namespace
}  // namespace paceline
