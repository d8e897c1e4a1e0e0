// SPDX-License-Identifier: MIT
// A card split into groups of SMs, in the respects in which real and emulated cards agree. Tests
// that depend on the card and its driver are in emulation/split_cards_test.cpp.
#include "exec/cuda/machine/green_contexts.hpp"

#include <gmock/gmock.h>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/machine/refused_split.hpp"

namespace paceline::cuda {
namespace {

class GreenContextsTest : public DeviceTest {};

TEST_F(GreenContextsTest, SplitsOnRealAndEmulatedCardsAlike) {
  if (!refused(2).empty()) GTEST_SKIP() << refused(2);
  const GreenContexts green(0, 2);
  EXPECT_EQ(green.groups(), 2);
  EXPECT_GE(green.sms().sms, 1);
  const DeviceStream first = green.stream(0);
  const DeviceStream second = green.stream(1);
  const DeviceStream whole = green.stream(kWholeCard);
  const DeviceEvent event;  // of the primary context: groups synchronise by it
  event.record(first.get());
  EXPECT_EQ(cudaStreamWaitEvent(second.get(), event.get(), 0), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(whole.get(), event.get(), 0), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(second.get()), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(whole.get()), cudaSuccess);
  const DeviceEvent later;
  later.record(second.get());
  EXPECT_EQ(cudaEventSynchronize(later.get()), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event.get(), later.get()), cudaSuccess);
  EXPECT_GE(milliseconds, 0) << "one clock for all groups";
}

TEST_F(GreenContextsTest, TheDeviceIsTheSameInAGroup) {
  if (!refused(2).empty()) GTEST_SKIP() << refused(2);
  const GreenContexts green(0, 2);
  const GreenContexts::Current current(green, 1);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
}

TEST(SmGranularity, FollowsFromTheCapabilityOnDriversThatDoNotReportIt) {
  EXPECT_EQ(granularity_of(7).minimum, 2);
  EXPECT_EQ(granularity_of(8).minimum, 4);
  EXPECT_EQ(granularity_of(8).multiple, 2);
  for (const int major : {9, 10, 12}) EXPECT_EQ(granularity_of(major).multiple, 8);
}

}  // namespace
}  // namespace paceline::cuda
