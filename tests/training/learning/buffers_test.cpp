// SPDX-License-Identifier: MIT
// Updates of a few parameters, worked out by hand: plain SGD at rate 0.5, so every value is exact.
#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/training/learning/buffer_world.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;

TEST(BuffersTest, ASumIsMadeWhereTheFirstGradientLanded) {
  World world({.workers = 2, .shards = 2}, {1, 2, 3, 4});
  world.compute(0, {2, 0, 4, 0});
  world.compute(1, {0, 2, 0, 4});
  for (const RoleId worker : {0, 1}) world.push(worker, worker);
  for (const int shard : {0, 1}) {
    world.reduce(world.at(shard, Buffer::landing, 1), world.at(shard, Buffer::landing, 0));
    world.update(world.at(shard, Buffer::weights), world.at(shard, Buffer::landing, 1), 0.5F, 1);
  }
  EXPECT_THAT(world.buffers().model(), ElementsAre(0.5, 1.5, 2, 3));
}

TEST(BuffersTest, EachGradientOfASumHasTheWeightOfItsStaleness) {
  World world({.workers = 2, .gradients = 2, .staleness = "per-gradient"}, {0, 0});
  world.compute(0, {4, 4});
  world.compute(1, {8, -8});
  for (const RoleId worker : {0, 1}) world.push(worker, worker);
  world.reduce(world.at(0, Buffer::gradient), world.at(0, Buffer::landing, 0), true, {0, 1, 0});
  world.reduce(world.at(0, Buffer::gradient), world.at(0, Buffer::landing, 1), false, {1, 4, 0});
  world.update(world.at(0, Buffer::weights), world.at(0, Buffer::gradient), 0.5F, 1, {}, 2.5);
  // -0.5 x (4 + 8/4) / 2 and -0.5 x (4 - 8/4) / 2
  EXPECT_THAT(world.buffers().model(), ElementsAre(-1.5, -0.5));
}

TEST(BuffersTest, TheMeanStalenessDividesTheRateOfAnUpdateOnce) {
  World world({.workers = 2, .gradients = 2, .staleness = "average"}, {0});
  world.compute(0, {4});
  world.push(0, 0);
  world.reduce(world.at(0, Buffer::gradient), world.at(0, Buffer::landing, 0), true, {0, 9, 0});
  world.update(world.at(0, Buffer::weights), world.at(0, Buffer::gradient), 0.5F, 1, {}, 2);
  EXPECT_THAT(world.buffers().model(), ElementsAre(-0.5));  // 0.5 / 2 x 4 / 2
}

TEST(BuffersTest, AWorkerMayContributeTwiceToOneUpdate) {
  World world({.workers = 2, .gradients = 3}, {1});
  world.compute(0, {1});
  world.push(0, 0);
  world.reduce(world.at(0, Buffer::gradient), world.at(0, Buffer::landing, 0), true, {0, 0, 0});
  world.compute(0, {2});  // lands where the first did
  world.push(0, 0);
  world.reduce(world.at(0, Buffer::gradient), world.at(0, Buffer::landing, 0), false, {0, 0, 0});
  world.compute(1, {3});
  world.push(1, 1);
  world.reduce(world.at(0, Buffer::gradient), world.at(0, Buffer::landing, 1), false, {1, 0, 0});
  world.update(world.at(0, Buffer::weights), world.at(0, Buffer::gradient), 1.0F / 3, 1);
  EXPECT_THAT(world.buffers().model(), ElementsAre(FloatEq(1 - 0.5F * 2)));
  // the next sum begins with nothing of this one
  world.compute(1, {4});
  world.push(1, 1);
  world.reduce(world.at(0, Buffer::gradient), world.at(0, Buffer::landing, 1), true, {1, 0, 0});
  world.update(world.at(0, Buffer::weights), world.at(0, Buffer::gradient), 1, 2);
  EXPECT_THAT(world.buffers().model(), ElementsAre(FloatEq(-2)));
}

TEST(BuffersTest, ADistanceIsThatOfAShardToTheWeightsThatTheWorkerFetched) {
  World world({.workers = 2, .shards = 2, .staleness = "{kind: distance, c: 2}"}, {0, 0, 0, 0});
  for (const int shard : {0, 1}) world.publish(shard, 1);
  world.step(1, {0, -8, 0, -4});  // shard 0 moves by (0, 4), shard 1 by (0, 2)
  EXPECT_THAT(world.buffers().model(), ElementsAre(0, 4, 0, 2));
  world.compute(1, {1, 0, 1, 0});
  world.push(1, 1);
  for (const int shard : {0, 1}) {
    world.update(world.at(shard, Buffer::weights), world.at(shard, Buffer::landing, 1), 1, 2,
                 {1, 1, 0});
  }
  // rates min(2 / 16, 0.5) and min(2 / 4, 0.5)
  EXPECT_THAT(world.buffers().model(), ElementsAre(-0.125, 4, -0.5, 2));
}

TEST(BuffersTest, AverageOfWeightsIsAVersionLikeAnyOther) {
  World world({.workers = 2, .gradients = 2, .keep_every = 1}, {1, 1});
  world.compute(0, {2, 0});
  world.update(world.of(0, Buffer::weights), world.of(0, Buffer::gradient), 1, 0);
  world.update(world.of(0, Buffer::weights), world.of(0, Buffer::gradient), 1, 0);
  world.compute(1, {0, 4});
  world.update(world.of(1, Buffer::weights), world.of(1, Buffer::gradient), 1, 0);
  EXPECT_THAT(world.buffers().model(), ElementsAre(1, 1));  // the server has received nothing
  for (const RoleId worker : {0, 1}) world.push(worker, worker, Buffer::weights);
  world.reduce(world.at(0, Buffer::landing, 0), world.at(0, Buffer::landing, 1));
  world.assign(world.at(0, Buffer::weights), world.at(0, Buffer::landing, 0), 0.5F, 1);
  // (-1, 1) and (1, -1)
  EXPECT_THAT(world.buffers().model(), ElementsAre(0, 0));
  EXPECT_THAT(world.buffers().kept_versions(), ElementsAre(0, 1));
  EXPECT_THAT(world.buffers().kept_model(0), ElementsAre(1, 1));
}

TEST(BuffersTest, APushIsTheMeanOfTheAccruedGradients) {
  World world({.workers = 2}, {0, 0});
  for (const int round : {0, 1}) {
    const int slot = 1 + round;
    for (const float g : {1.0F, 2.0F, 6.0F}) {
      world.compute(1, {g, -g});
      world.reduce(world.of(1, Buffer::gradient, slot), world.of(1, Buffer::gradient, 0), g == 1);
    }
    world.push(1, 2 + round, Buffer::gradient, slot);
    world.update(world.at(0, Buffer::weights), world.at(0, Buffer::landing, 2 + round), 1.0F / 3,
                 1 + round);
  }
  EXPECT_THAT(world.buffers().model(), ElementsAre(FloatEq(-3), FloatEq(3)));
}

TEST(BuffersTest, AFetchGetsThePublishedVersionHoweverManyVersionsLater) {
  World world({.workers = 2}, {0});
  world.step(1, {-2});
  world.publish(0, 1);
  for (std::int64_t version = 2; version < 6; ++version) world.step(version, {-2});
  world.copy(world.at(0, Buffer::snapshot, 1), world.of(1, Buffer::weights));
  EXPECT_THAT(world.buffers().weights(1), ElementsAre(1));
  EXPECT_THAT(world.buffers().model(), ElementsAre(5));
}

TEST(BuffersTest, TheRequestedVersionsAndTheLastAreKept) {
  World world({.shards = 2, .keep_every = 2}, {0, 0});
  for (std::int64_t version = 1; version <= 3; ++version) world.step(version, {-2, -4});
  // shard 0 goes on alone to the last: the other's latest is all there is of it
  for (std::int64_t version = 4; version <= 5; ++version) {
    world.update(world.at(0, Buffer::weights), world.at(0, Buffer::landing), 1, version);
  }
  EXPECT_THAT(world.buffers().kept_versions(), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(world.buffers().kept_model(0), ElementsAre(0, 0));
  EXPECT_THAT(world.buffers().kept_model(2), ElementsAre(2, 4));
  EXPECT_THAT(world.buffers().kept_model(4), ElementsAre(4, 4));
  EXPECT_THAT(world.buffers().kept_model(5), ElementsAre(5, 4));
  EXPECT_THAT(world.buffers().model(), ElementsAre(5, 6));

  World none({}, {0});
  none.step(1, {-2});
  EXPECT_TRUE(none.buffers().kept_versions().empty());
}

TEST(BuffersTest, ReplicasUpdateTheirOwnWeightsWithAStateOfTheirOwn) {
  World world({.workers = 2,
               .shards = 0,
               .gradients = 2,
               .kind = "momentum, momentum: 0.5",
               .keep_every = 1},
              {0});
  for (const RoleId worker : {0, 1}) {
    for (std::int64_t version = 1; version <= 2; ++version) {
      world.compute(worker, {4});
      world.update(world.of(worker, Buffer::weights), world.of(worker, Buffer::gradient), 0.5F,
                   version);
    }
    EXPECT_THAT(world.buffers().weights(worker), ElementsAre(-0.5 * (2 + 3)));
  }
  EXPECT_THAT(world.buffers().kept_versions(), ElementsAre(0, 1, 2));
  EXPECT_THAT(world.buffers().kept_model(1), ElementsAre(-1));
}

TEST(BuffersTest, ARoleHasTheBuffersThatItDeclares) {
  const Choice<Optimizer> adam = optimizer("adam");
  UpdateRule rule;
  rule.optimizer = adam.part().get();
  const Slice whole{0, 3, 12};
  const auto allocations = [&](const RoleBuffers& declared, bool ahead = false) {
    CountingStore store(ahead);
    const Buffers buffers({{declared}, {0}, 5}, rule, {1, 2, 3}, 0, store);
    return store.allocations();
  };
  EXPECT_EQ(allocations({}), 0);  // another process runs the role
  EXPECT_EQ(allocations({whole, {{Buffer::weights}, {Buffer::gradient}}}), 2);
  EXPECT_EQ(allocations({whole, {{Buffer::weights}, {Buffer::gradient, 3}}, true}), 4 + 2);
  const RoleBuffers server{
      whole, {{Buffer::weights, 6}, {Buffer::landing, 2}, {Buffer::snapshot, 2}}, true};
  EXPECT_EQ(allocations(server), 1 + 2 + 2);
  EXPECT_EQ(allocations(server, true), 6 + 2 + 2);
}

// Layers of parameters 0 to 1, none, 2 to 4, and 5 on.
TEST(UpdateRuleTest, FindsWhereLayersBeginWithinASlice) {
  UpdateRule rule;
  rule.layers = {0, 2, 2, 5};
  const auto layers_of = [&](std::int64_t begin, std::int64_t end) {
    return rule.layers_of({begin, end, 0});
  };
  EXPECT_THAT(layers_of(0, 9), ElementsAre(2, 5));
  EXPECT_THAT(layers_of(1, 6), ElementsAre(1, 4));
  EXPECT_THAT(layers_of(2, 5), ElementsAre());
  EXPECT_THAT(layers_of(5, 9), ElementsAre());
}

// Both layers begin with weights of length 5 and step by 1 times that.
TEST(BuffersTest, ALayerwiseOptimizerGetsTheLayersOfTheWeights) {
  const Choice<Optimizer> lamb = optimizer("{kind: lamb, learning_rate: 1}");
  UpdateRule rule;
  rule.optimizer = lamb.part().get();
  rule.layers = {0, 2};
  const Slice whole{0, 3, 12};
  CountingStore store(false);
  Buffers buffers({{{whole, {{Buffer::weights}, {Buffer::gradient}}, true}}, {0}, 5}, rule,
                  {3, 4, 5}, 0, store);
  for (float& g : buffers.gradient(0)) g = 0.1F;
  Command::Update update;
  update.weights = {0, Buffer::weights};
  update.gradient = {0, Buffer::gradient};
  update.slice = whole;
  HostArrayWork work;
  Command command;
  command.what = update;
  buffers.perform(command, work);
  const float step = 5 / std::sqrt(2.0F);
  EXPECT_THAT(buffers.weights(0), ElementsAre(FloatNear(3 - step, 1e-4F),
                                              FloatNear(4 - step, 1e-4F), FloatNear(0, 1e-4F)));
}

TEST(BuffersTest, AVersionIsNotWrittenWhileACopyOfItMayStillRun) {
  World world({}, {0});
  world.step(1, {-2});
  world.publish(0, 0);
  LaterWork fetch;
  Held held = world.copy(world.at(0, Buffer::snapshot, 0), world.of(0, Buffer::weights), fetch);
  for (std::int64_t version = 2; version < 6; ++version) {
    world.step(version, {-2});
    world.publish(0, 0);  // the snapshot is another one by now
  }
  fetch.run();
  EXPECT_THAT(world.buffers().weights(0), ElementsAre(1));
  ASSERT_NE(held, nullptr);
  const float* then = held->floats().data();
  held.reset();  // from now on it may be written
  bool written = false;
  for (std::int64_t version = 6; version < 10; ++version) {
    world.step(version, {-2});
    written = written || then[0] != 1;
  }
  EXPECT_TRUE(written);
}

// Fetches of four workers begin and end at random, each of the version that was published for it.
TEST(BuffersTest, FetchesInFlightGetTheirVersionsInAnyOrder) {
  constexpr int kWorkers = 4;
  World world({.workers = kWorkers, .ahead = true}, {0});
  const int allocations = world.allocations();
  struct Fetch {
    LaterWork work;
    Held held;
    float expected = 0;
  };
  std::array<Fetch, kWorkers> fetches;
  std::minstd_rand random(7);
  int ended = 0;
  for (std::int64_t version = 1; version <= 1000; ++version) {
    world.compute(0, {-2});
    world.push(0, 0);
    world.update(world.at(0, Buffer::weights), world.at(0, Buffer::landing), 1, version);
    const auto worker = static_cast<RoleId>(random() % kWorkers);
    Fetch& fetch = fetches[static_cast<std::size_t>(worker)];
    if (fetch.held) {
      fetch.work.run();
      EXPECT_THAT(world.buffers().weights(worker), ElementsAre(fetch.expected));
      fetch.held.reset();
      ++ended;
    } else {
      world.publish(0, worker);
      fetch.held = world.copy(world.at(0, Buffer::snapshot, worker),
                              world.of(worker, Buffer::weights), fetch.work);
      fetch.expected = static_cast<float>(version);
    }
  }
  EXPECT_GT(ended, 400);
  EXPECT_EQ(world.allocations(), allocations);
}

TEST(BuffersTest, ADistanceFoundLaterIsThatOfItsTime) {
  World world({.workers = 2, .staleness = "{kind: distance, c: 2}"}, {0, 0});
  world.publish(0, 1);
  world.step(1, {0, -8});
  world.compute(1, {1, 0});
  world.push(1, 1);
  LaterWork update;
  const Held held = world.update(world.at(0, Buffer::weights), world.at(0, Buffer::landing, 1), 1,
                                 2, {1, 1, 0}, 0, update);
  world.publish(0, 1);  // the worker's snapshot is the new version
  EXPECT_NE(held, nullptr);
  update.run();
  EXPECT_THAT(world.buffers().model(), ElementsAre(-0.125, 4));  // rate min(2 / 16, 0.5)
}

TEST(BuffersTest, AllVersionsAreAllocatedAheadOnRequest) {
  World servers({.workers = 3, .shards = 2, .kind = "adam", .keep_every = 2, .ahead = true},
                {0, 0});
  World replicas({.workers = 2, .shards = 0, .gradients = 2, .keep_every = 2, .ahead = true}, {0});
  const int of_servers = servers.allocations();
  const int of_replicas = replicas.allocations();
  for (std::int64_t version = 1; version <= 5; ++version) {
    servers.step(version, {1, 1});
    for (const int shard : {0, 1}) servers.publish(shard, static_cast<RoleId>(version % 3));
    for (const RoleId worker : {0, 1}) {
      replicas.update(replicas.of(worker, Buffer::weights), replicas.of(worker, Buffer::gradient),
                      0.5F, version);
    }
  }
  EXPECT_THAT(servers.buffers().kept_versions(), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(replicas.buffers().kept_versions(), ElementsAre(0, 2, 4, 5));
  EXPECT_EQ(servers.allocations(), of_servers);
  EXPECT_EQ(replicas.allocations(), of_replicas);
}

}  // namespace
}  // namespace paceline
