// SPDX-License-Identifier: MIT
#include "exec/calibrate/host_links.hpp"

#include <gtest/gtest.h>

#include "exec/calibrate/copy_probe.hpp"
#include "exec/calibrate/host_steps.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

TEST(CalibrationStepTest, SizesGrowInPowersOfFour) {
  const std::vector<Bytes> all = probed_sizes(Effort::thorough, Bytes{1e12});
  ASSERT_EQ(all.size(), 10U);
  EXPECT_EQ(all.front(), Bytes{1024});
  EXPECT_EQ(all[1], Bytes{4096});
  EXPECT_EQ(all.back(), Bytes{256.0 * 1048576});
  const std::vector<Bytes> quick = probed_sizes(Effort::quick, Bytes{1e12});
  EXPECT_EQ(quick.size(), 5U);
  EXPECT_EQ(quick.back(), Bytes{64.0 * 1048576});
  EXPECT_EQ(probed_sizes(Effort::thorough, Bytes{5000}).size(), 2U) << "1 KiB and 4 KiB";
  EXPECT_EQ(probed_sizes(Effort::thorough, Bytes{1}).size(), 1U);
}

TEST(HostLinksTest, EverySizeTakesSomeTimeAndTheLargestMoreThanTheSmallest) {
  const std::vector<LinkProfile> links = measure_host_links(2, Effort::quick);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].at_once, 1);
  EXPECT_EQ(links[1].at_once, 2);
  EXPECT_TRUE(links[0].driver);
  for (const LinkProfile& link : links) {
    EXPECT_EQ(link.from, "thread");
    EXPECT_EQ(link.to, "thread");
    ASSERT_EQ(link.sizes.size(), link.times.size());
    ASSERT_GE(link.sizes.size(), 4U);
    for (const Seconds time : link.times) EXPECT_GT(time, Seconds{});
    // a busy computer stretches short times: 16 times the bytes may take as long
    EXPECT_GT(link.times.back(), link.times.front());
    EXPECT_GT(link.bandwidth, BytesPerSecond{1e8});
    EXPECT_LT(link.bandwidth, BytesPerSecond{1e12});
    EXPECT_GE(link.worst, link.rms);
  }
}

TEST(HostStepsTest, FillInTheProfile) {
  Profile profile;
  const std::vector<CalibrationStep> steps = host_steps(false, Effort::quick, profile);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].run(), "");
  EXPECT_GE(profile.host.cores, 1);
  EXPECT_GT(profile.host.copy_bandwidth, BytesPerSecond{0});
  EXPECT_GE(profile.host.memory_bandwidth, profile.host.copy_bandwidth);
  EXPECT_TRUE(profile.links.empty());
}

}  // namespace
}  // namespace paceline
