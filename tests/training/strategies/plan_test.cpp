// SPDX-License-Identifier: MIT
#include "training/strategies/plan.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"

namespace paceline {
namespace {

Network mlp() {
  return load_network(parse_yaml("mlp", "{kind: mlp, inputs: 10, hidden: [20, 30], classes: 5}"));
}

TEST(CutTest, BucketsCoverAllParametersOnceFromTheLastLayerBackwards) {
  const Network network = mlp();
  for (const double bucket : {1.0, 500.0, 2000.0, 1e9}) {
    const Cut cut = cut_network(network, {true, Bytes{bucket}}, 3, 4);
    std::int64_t end = network.parameters();
    std::int32_t last = static_cast<std::int32_t>(network.layers.size());
    for (const Bucket& part : cut.buckets) {
      EXPECT_EQ(part.slice.end, end);
      EXPECT_EQ(part.last_layer, last);
      EXPECT_DOUBLE_EQ(part.slice.bytes, 4.0 * static_cast<double>(part.slice.size()));
      end = part.slice.begin;
      last = part.first_layer;
    }
    EXPECT_EQ(end, 0);
    EXPECT_EQ(last, 0);
  }
}

TEST(CutTest, WithoutOverlapThereIsOneBucket) {
  EXPECT_EQ(cut_network(mlp(), {false, Bytes{1}}, 1, 4).buckets.size(), 1U);
  EXPECT_EQ(cut_network(mlp(), {true, Bytes{1}}, 1, 4).buckets.size(), 3U);
}

// The buckets that DistributedDataParallel sent of torchvision's ResNet-18, pytorch/pytorch issue
// 48880: the first closes at 1 MiB, the others at 25 MiB or, with bucket_cap_mb, at 35; each with
// the tensor that reaches it.
TEST(CutTest, TheFirstBucketMayCloseEarlier) {
  const Network network = load_network(Tree::scalar("resnet18"));
  const auto sizes = [&](double mebibytes) {
    Travel travel{true, Bytes{mebibytes * 1048576}};
    travel.first_bucket = Bytes{1048576};
    std::vector<double> bytes;
    for (const Bucket& bucket : cut_network(network, travel, 0, 4).buckets)
      bytes.push_back(bucket.slice.bytes);
    return bytes;
  };
  EXPECT_EQ(sizes(25), (std::vector<double>{2052000, 28852224, 15853824}));
  EXPECT_EQ(sizes(35), (std::vector<double>{2052000, 38297600, 6408448}));
}

TEST(CutTest, ShardsAreContiguousAndEqualToAParameter) {
  const Cut cut = cut_network(mlp(), {true, Bytes{1}}, 4, 4);
  std::int64_t begin = 0;
  for (const Slice& shard : cut.shards) {
    EXPECT_EQ(shard.begin, begin);
    EXPECT_NEAR(static_cast<double>(shard.size()), static_cast<double>(mlp().parameters()) / 4, 1);
    begin = shard.end;
  }
  EXPECT_EQ(begin, mlp().parameters());
}

TEST(SliceTest, OverlapKeepsTheWeightOfAParameter) {
  const Slice shared = overlap_of({0, 100, 400}, {60, 200, 560});
  EXPECT_EQ(shared.begin, 60);
  EXPECT_EQ(shared.end, 100);
  EXPECT_DOUBLE_EQ(shared.bytes, 160);
  EXPECT_EQ(overlap_of({0, 10, 40}, {10, 20, 40}).size(), 0);
}

}  // namespace
}  // namespace paceline
