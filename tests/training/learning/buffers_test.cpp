// SPDX-License-Identifier: MIT
// Updates of a few parameters, worked out by hand: plain SGD at rate 0.5, so every value is exact.
// Work may run at once or later, as on a GPU.
#include "training/learning/buffers.hpp"

#include <functional>
#include <random>

#include <gmock/gmock.h>

#include "experiments/yaml.hpp"
#include "training/learning/host_arrays.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

Choice<Optimizer> optimizer(const std::string& yaml) {
  Diagnostics diagnostics;
  Choice<Optimizer> choice;
  Value<Choice<Optimizer>>::read(choice, parse_yaml("optimizer", yaml), diagnostics);
  diagnostics.throw_if_any();
  return choice;
}

/// Counts what it allocates.
class CountingStore final : public ArrayStore {
 public:
  explicit CountingStore(bool ahead) : ahead_(ahead) {}
  SharedArray allocate(RoleId owner, std::size_t floats) override {
    ++allocations_;
    return host_.allocate(owner, floats);
  }
  void write(std::span<const float> from, const Array& to) override { host_.write(from, to); }
  std::vector<float> read(std::span<const float> from) const override { return host_.read(from); }
  bool allocates_ahead() const override { return ahead_; }
  int allocations() const { return allocations_; }

 private:
  HostArrays host_;
  bool ahead_;
  int allocations_ = 0;
};

/// Remembers what to do, and does it when told to.
class LaterWork final : public ArrayWork {
 public:
  void copy(std::span<float> to, std::span<const float> from) override {
    later_.emplace_back([=, this] { host_.copy(to, from); });
  }
  void assign(std::span<float> to, std::span<const float> from, float scale) override {
    later_.emplace_back([=, this] { host_.assign(to, from, scale); });
  }
  void accumulate(std::span<float> into, std::span<const float> from, const Factor& factor,
                  bool fresh) override {
    later_.emplace_back([=, this] { host_.accumulate(into, from, factor, fresh); });
  }
  void update(const Optimizer& optimizer, double rate, std::int64_t update,
              const UpdateArrays& arrays, const Factor& factor) override {
    later_.emplace_back(
        [=, this, &optimizer] { host_.update(optimizer, rate, update, arrays, factor); });
  }
  void run() {
    for (const auto& one : later_) one();
    later_.clear();
  }

 private:
  HostArrayWork host_;
  std::vector<std::function<void()>> later_;
};

/// A few workers and shards of a model of as many parameters as `initial` has.
class World {
 public:
  World(int workers, int shards, const std::vector<float>& initial, const Rule& rule = {},
        const std::string& staleness = "none", std::int64_t keep_every = 0, bool replicas = false,
        const std::string& kind = "sgd", bool ahead = false)
      : store_(ahead),
        optimizer_(
            optimizer("{kind: " + kind + ", learning_rate: 0.5, staleness: " + staleness + "}")) {
    const auto size = static_cast<std::int64_t>(initial.size());
    plan_.workers = workers;
    plan_.shards = shards;
    plan_.rule = rule;
    plan_.replicas = replicas;
    plan_.updates = 5;
    plan_.cut.buckets = {{0, 1, {0, size, 4.0 * static_cast<double>(size)}}};
    for (int shard = 0; shard < shards; ++shard) {
      const std::int64_t begin = size * shard / shards, end = size * (shard + 1) / shards;
      plan_.cut.shards.push_back({begin, end, 4.0 * static_cast<double>(end - begin)});
    }
    UpdateRule update;
    update.optimizer = optimizer_.part().get();
    update.workers = workers;
    buffers_.emplace(plan_, update, initial, keep_every, store_);
  }

  Buffers& buffers() { return *buffers_; }
  Slice slice(int shard) const { return plan_.cut.shards[static_cast<std::size_t>(shard)]; }
  BufferRef at(int shard, Buffer buffer, int slot = 0) const {
    return {plan_.server(shard), buffer, slot, slice(shard)};
  }
  BufferRef of(RoleId worker, Buffer buffer, int slot = 0) const {
    return {worker, buffer, slot, plan_.whole()};
  }
  void compute(RoleId worker, const std::vector<float>& gradient) {
    std::copy(gradient.begin(), gradient.end(), buffers().gradient(worker).begin());
  }

  int allocations() const { return store_.allocations(); }

  Held copy(const BufferRef& from, const BufferRef& to) { return copy(from, to, work_); }
  Held copy(const BufferRef& from, const BufferRef& to, ArrayWork& work) {
    Command command;
    command.kind = Command::Kind::copy;
    command.from = from;
    command.to = to;
    return buffers().perform(command, work);
  }
  /// What a worker has computed reaches every shard.
  void push(RoleId worker, int slot, Buffer source = Buffer::gradient, int source_slot = 0) {
    for (int shard = 0; shard < plan_.shards; ++shard) {
      copy({worker, source, source_slot, slice(shard)}, at(shard, Buffer::landing, slot));
    }
  }
  void reduce(const BufferRef& into, const BufferRef& from, bool fresh = false,
              GradientAge age = {}) {
    Command command;
    command.kind = Command::Kind::reduce;
    command.from = from;
    command.to = into;
    command.fresh = fresh;
    command.age = age;
    buffers().perform(command, work_);
  }
  void update(const BufferRef& weights, const BufferRef& gradient, float scale,
              std::int64_t version, GradientAge age = {}, float mean_staleness = 0) {
    update(weights, gradient, scale, version, age, mean_staleness, work_);
  }
  Held update(const BufferRef& weights, const BufferRef& gradient, float scale,
              std::int64_t version, GradientAge age, float mean_staleness, ArrayWork& work) {
    Command command;
    command.kind = Command::Kind::update;
    command.from = gradient;
    command.to = weights;
    command.scale = scale;
    command.version = version;
    command.age = age;
    command.mean_staleness = mean_staleness;
    return buffers().perform(command, work);
  }
  void assign(const BufferRef& weights, const BufferRef& from, float scale, std::int64_t version) {
    Command command;
    command.kind = Command::Kind::assign;
    command.from = from;
    command.to = weights;
    command.scale = scale;
    command.version = version;
    buffers().perform(command, work_);
  }
  void publish(int shard, RoleId worker) {
    Command command;
    command.kind = Command::Kind::publish;
    command.to = at(shard, Buffer::weights, worker);
    buffers().perform(command, work_);
  }
  /// One worker's gradient makes the next version, in place.
  void step(std::int64_t version, const std::vector<float>& gradient) {
    compute(0, gradient);
    push(0, 0);
    for (int shard = 0; shard < plan_.shards; ++shard) {
      update(at(shard, Buffer::weights), at(shard, Buffer::landing), 1, version);
    }
  }

 private:
  CountingStore store_;
  HostArrayWork work_;
  Choice<Optimizer> optimizer_;
  Plan plan_;
  std::optional<Buffers> buffers_;
};

Rule k_of(int gradients) {
  Rule rule;
  rule.gradients = gradients;
  return rule;
}

TEST(BuffersTest, ASumIsMadeWhereTheFirstGradientLanded) {
  World world(2, 2, {1, 2, 3, 4});
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
  World world(2, 1, {0, 0}, k_of(2), "per-gradient");
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
  World world(2, 1, {0}, k_of(2), "average");
  world.compute(0, {4});
  world.push(0, 0);
  world.reduce(world.at(0, Buffer::gradient), world.at(0, Buffer::landing, 0), true, {0, 9, 0});
  world.update(world.at(0, Buffer::weights), world.at(0, Buffer::gradient), 0.5F, 1, {}, 2);
  EXPECT_THAT(world.buffers().model(), ElementsAre(-0.5));  // 0.5 / 2 x 4 / 2
}

TEST(BuffersTest, AWorkerMayGiveTwiceToOneUpdate) {
  World world(2, 1, {1}, k_of(3));
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
  World world(2, 2, {0, 0, 0, 0}, k_of(1), "{kind: distance, c: 2}");
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
  Rule rule = k_of(2);
  rule.local_steps = 3;
  World world(2, 1, {1, 1}, rule, "none", 1);
  world.compute(0, {2, 0});
  world.update(world.of(0, Buffer::weights), world.of(0, Buffer::gradient), 1, 0);
  world.update(world.of(0, Buffer::weights), world.of(0, Buffer::gradient), 1, 0);
  world.compute(1, {0, 4});
  world.update(world.of(1, Buffer::weights), world.of(1, Buffer::gradient), 1, 0);
  EXPECT_THAT(world.buffers().model(), ElementsAre(1, 1));  // nobody has told the server
  for (const RoleId worker : {0, 1}) world.push(worker, worker, Buffer::weights);
  world.reduce(world.at(0, Buffer::landing, 0), world.at(0, Buffer::landing, 1));
  world.assign(world.at(0, Buffer::weights), world.at(0, Buffer::landing, 0), 0.5F, 1);
  // (-1, 1) and (1, -1)
  EXPECT_THAT(world.buffers().model(), ElementsAre(0, 0));
  EXPECT_THAT(world.buffers().kept_versions(), ElementsAre(0, 1));
  EXPECT_THAT(world.buffers().kept_model(0), ElementsAre(1, 1));
}

TEST(BuffersTest, APushIsTheMeanOfWhatWasAccrued) {
  Rule rule;
  rule.exchange = {3, 1};
  World world(2, 1, {0, 0}, rule);
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

TEST(BuffersTest, AFetchGetsWhatWasPublishedHoweverManyVersionsLater) {
  World world(2, 1, {0});
  world.step(1, {-2});
  world.publish(0, 1);
  for (std::int64_t version = 2; version < 6; ++version) world.step(version, {-2});
  world.copy(world.at(0, Buffer::snapshot, 1), world.of(1, Buffer::weights));
  EXPECT_THAT(world.buffers().weights(1), ElementsAre(1));
  EXPECT_THAT(world.buffers().model(), ElementsAre(5));
}

TEST(BuffersTest, VersionsAreKeptAsAskedAndTheLast) {
  World world(1, 2, {0, 0}, {}, "none", 2);
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

  World none(1, 1, {0});
  none.step(1, {-2});
  EXPECT_TRUE(none.buffers().kept_versions().empty());
}

TEST(BuffersTest, ReplicasUpdateTheirOwnWeightsWithAStateOfTheirOwn) {
  World world(2, 1, {0}, k_of(2), "none", 1, true, "momentum, momentum: 0.5");
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

TEST(BuffersTest, OnlyARingHasALandingBufferAtItsWorkers) {
  for (const bool lands : {false, true}) {
    Plan plan;
    plan.workers = 2;
    plan.lands = lands;
    plan.replicas = true;
    plan.cut.buckets = {{0, 1, {0, 3, 12}}};
    const Choice<Optimizer> sgd = optimizer("sgd");
    UpdateRule rule;
    rule.optimizer = sgd.part().get();
    CountingStore store(false);
    const Buffers buffers(plan, rule, {1, 2, 3}, 0, store);
    EXPECT_EQ(store.allocations(), lands ? 6 : 4);  // weights, gradient and landing of each
  }
}

TEST(BuffersTest, NobodyWritesAVersionWhileACopyOfItMayStillRun) {
  World world(1, 1, {0});
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
  World world(kWorkers, 1, {0}, {}, "none", 0, false, "sgd", true);
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
  World world(2, 1, {0, 0}, k_of(1), "{kind: distance, c: 2}");
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

TEST(BuffersTest, WhereAskedForAllVersionsAreAllocatedAhead) {
  World servers(3, 2, {0, 0}, {}, "none", 2, false, "adam", true);
  World replicas(2, 1, {0}, k_of(2), "none", 2, true, "sgd", true);
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
