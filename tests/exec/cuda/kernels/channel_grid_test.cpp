// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/channel_grid.hpp"

#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

class ChannelGridTest : public DeviceTest {};

TEST_F(ChannelGridTest, SixteenBytesWhereChannelsOrPlanesAllow) {
  EXPECT_EQ(lay_channels(Element::bf16, true, 2, 64, 9).pack, 8);
  EXPECT_EQ(lay_channels(Element::bf16, true, 2, 65, 16).pack, 1);
  EXPECT_EQ(lay_channels(Element::fp32, true, 2, 4, 9).pack, 4);
  EXPECT_EQ(lay_channels(Element::bf16, false, 2, 64, 9).pack, 1);
  EXPECT_EQ(lay_channels(Element::bf16, false, 2, 65, 16).pack, 8);
  EXPECT_EQ(lay_channels(Element::fp32, false, 2, 65, 20).pack, 4);
  EXPECT_TRUE(lay_channels(Element::fp32, false, 2, 64, 1).channels_last) << "it is the same";
  EXPECT_EQ(lay_channels(Element::bf16, false, 2, 65, 49, true).pack, 8);
  EXPECT_EQ(lay_channels(Element::bf16, false, 2, 65, 15, true).pack, 1) << "less than two packs";
}

TEST_F(ChannelGridTest, LanesLeaveFewThreadsIdle) {
  const auto lanes = [](int channels) {
    return lay_channels(Element::bf16, true, 2, channels, 9).lanes;
  };
  EXPECT_EQ(lanes(64), 8);
  EXPECT_EQ(lanes(2048), 32);
  EXPECT_EQ(lanes(8 * 20), 4);  // 5 columns, where 32 lanes would leave 12 of 32 idle
  EXPECT_EQ(lanes(8 * 12), 4);
  EXPECT_EQ(lanes(8), 1);
  EXPECT_EQ(lanes(16), 2);
}

TEST_F(ChannelGridTest, ColumnsHoldAllChannelsAndChunksFillTheDevice) {
  for (const int channels : {1, 3, 8, 24, 100, 2048}) {
    for (const bool last : {false, true}) {
      const ChannelGrid grid = lay_channels(Element::bf16, last, 256, channels, 49);
      const int of_a_column = last ? grid.lanes * grid.pack : 1;
      EXPECT_GE(grid.columns * of_a_column, channels);
      EXPECT_GE(grid.chunks, 1);
    }
  }
  EXPECT_EQ(lay_channels(Element::bf16, true, 1, 8, 4).chunks, 1) << "little work, one block";
  const ChannelGrid grid = lay_channels(Element::bf16, true, 256, 64, 56 * 56);
  EXPECT_GE(grid.columns * grid.chunks, 2 * multiprocessors());
}

TEST_F(ChannelGridTest, OtherPixelsHaveTheSameChannels) {
  const ChannelGrid whole = lay_channels(Element::bf16, true, 256, 64, 55 * 55);
  const ChannelGrid part = whole.with_pixels(28 * 28);
  EXPECT_EQ(part.pixels, 28 * 28);
  EXPECT_EQ(part.pack, whole.pack);
  EXPECT_EQ(part.lanes, whole.lanes);
  EXPECT_EQ(part.columns, whole.columns);
  EXPECT_EQ(part.most_chunks, lay_channels(Element::bf16, true, 256, 64, 28 * 28).most_chunks);
  const ChannelGrid planes = lay_channels(Element::bf16, false, 2, 3, 64).with_pixels(1);
  EXPECT_FALSE(planes.channels_last) << "in the order of the whole images";
  EXPECT_EQ(planes.pack, 1);
}

}  // namespace
}  // namespace paceline::cuda
