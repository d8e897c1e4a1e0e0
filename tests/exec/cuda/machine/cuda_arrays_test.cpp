// SPDX-License-Identifier: MIT
// Buffers on GPUs against the same buffers on the host.
#include "exec/cuda/machine/cuda_arrays.hpp"

#include <atomic>
#include <cmath>
#include <functional>
#include <random>

#include <gmock/gmock.h>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "experiments/language/yaml.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "training/learning/buffers.hpp"
#include "training/learning/host_arrays.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline::cuda {
namespace {

using testing::ElementsAre;

constexpr int kWorkers = 2;
constexpr int kShards = 2;
constexpr std::int64_t kSize = 301;   // size of the model
constexpr std::int64_t kBorder = 94;  // start of the second bucket, which is not aligned to vectors

Choice<Optimizer> optimizer(const std::string& yaml) {
  Diagnostics diagnostics;
  Choice<Optimizer> choice;
  Value<Choice<Optimizer>>::read(choice, parse_yaml("optimizer", yaml), diagnostics);
  diagnostics.throw_if_any();
  return choice;
}

Plan plan_of_servers() {
  Plan plan;
  plan.workers = kWorkers;
  plan.shards = kShards;
  plan.updates = 5;
  plan.cut.buckets = {{0, 1, {0, kBorder, 4.0 * kBorder}},
                      {1, 2, {kBorder, kSize, 4.0 * (kSize - kBorder)}}};
  plan.cut.shards = {{0, 150, 600}, {150, kSize, 4.0 * (kSize - 150)}};
  return plan;
}

std::vector<float> random_floats(std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> floats(static_cast<std::size_t>(kSize));
  for (float& x : floats) x = normal(random);
  return floats;
}

/// The buffers of a run, and the operations of an exchange with servers.
class Training {
 public:
  Training(const Plan& plan, const Optimizer& rule, const std::vector<float>& initial,
           ArrayStore& store, ArrayWork& workers, ArrayWork& servers)
      : plan_(plan),
        store_(store),
        workers_(workers),
        servers_(servers),
        buffers_(declared(plan), {&rule, 1, kWorkers, 1, {}}, initial, 2, store) {}

  Buffers& buffers() { return buffers_; }
  void compute(RoleId worker, const std::vector<float>& gradient) {
    const std::span<float> to = buffers_.gradient(worker);
    const SharedArray array = std::make_shared<Array>(to);
    store_.write(gradient, *array);
  }
  void push(RoleId worker) {
    for (const Bucket& bucket : plan_.cut.buckets) {
      for (int shard = 0; shard < kShards; ++shard) {
        const Slice slice = overlap_of(bucket.slice, shard_slice(shard));
        if (slice.size() == 0) continue;
        copy({worker, Buffer::gradient}, at(shard, Buffer::landing, worker), slice);
      }
    }
  }
  void sum(RoleId worker, bool fresh, float staleness) {
    for (int shard = 0; shard < kShards; ++shard) {
      perform(Command::Reduce{at(shard, Buffer::gradient),
                              at(shard, Buffer::landing, worker),
                              shard_slice(shard),
                              {worker, staleness, 3},
                              fresh},
              servers_);
    }
  }
  void update(std::int64_t version, float scale) {
    for (int shard = 0; shard < kShards; ++shard) {
      perform(Command::Update{at(shard, Buffer::weights), at(shard, Buffer::gradient),
                              shard_slice(shard), UpdateMoment{scale, 0, version, {}}},
              servers_);
    }
  }
  void publish(RoleId worker) {
    for (int shard = 0; shard < kShards; ++shard) {
      perform(Command::Publish{plan_.server(shard), worker}, servers_);
    }
  }
  std::vector<Held> fetch(RoleId worker) {
    std::vector<Held> held;
    for (int shard = 0; shard < kShards; ++shard) {
      held.push_back(
          copy(at(shard, Buffer::snapshot, worker), {worker, Buffer::weights}, shard_slice(shard)));
    }
    return held;
  }
  std::vector<float> weights(RoleId worker) const { return store_.read(buffers_.weights(worker)); }

 private:
  const Slice& shard_slice(int shard) const {
    return plan_.cut.shards[static_cast<std::size_t>(shard)];
  }
  BufferRef at(int shard, Buffer buffer, std::int32_t slot = 0) const {
    return {plan_.server(shard), buffer, slot};
  }
  Held copy(const BufferRef& from, const BufferRef& to, const Slice& slice) {
    return perform(Command::Copy{from, to, slice}, workers_);
  }
  template <class What>
  Held perform(const What& what, ArrayWork& work) {
    return buffers_.perform({{}, what}, work);
  }
  /// With a sum of its own at every server.
  static BufferPlan declared(const Plan& plan) {
    BufferPlan buffers = buffers_of(*Choice<Aggregation>("parameter-server"), plan);
    for (const RoleId server : buffers.model) {
      buffers.roles[static_cast<std::size_t>(server)].slots.push_back({Buffer::gradient});
    }
    return buffers;
  }

  const Plan plan_;
  ArrayStore& store_;
  ArrayWork& workers_;
  ArrayWork& servers_;
  Buffers buffers_;
};

/// Three versions from two gradients each; afterwards both workers have the last version.
void train(Training& run, std::uint32_t seed, const std::function<void()>& wait) {
  std::mt19937 random(seed);
  for (const RoleId worker : {0, 1}) run.publish(worker);
  for (std::int64_t version = 1; version <= 3; ++version) {
    for (const RoleId worker : {0, 1}) {
      run.compute(worker, random_floats(random));
      run.push(worker);
      wait();
      run.sum(worker, worker == 0, static_cast<float>(worker + 1));
    }
    run.update(version, 0.5F);
    wait();
    run.publish(static_cast<RoleId>(version % 2));
    wait();
  }
  std::vector<Held> held;
  for (const RoleId worker : {0, 1}) {
    run.publish(worker);
    for (Held& one : run.fetch(worker)) held.push_back(std::move(one));
  }
  wait();
}

double relative_distance(const std::vector<float>& a, const std::vector<float>& b) {
  return std::sqrt(squared_distance(a, b) / squared_norm(b));
}

class CudaArraysTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) stream_ = std::make_unique<DeviceStream>();
  }
  cudaStream_t stream() const { return stream_->get(); }
  void wait() const { check(cudaStreamSynchronize(stream()), "computing"); }
  std::mt19937& random() { return random_; }

  /// Trains on the host and with servers on `device`, and compares all models.
  void compare(const std::string& yaml, int servers, double tolerance) {
    SCOPED_TRACE(yaml);
    const Plan plan = plan_of_servers();
    const Choice<Optimizer> rule = optimizer(yaml);
    const std::vector<float> initial = random_floats(random_);
    HostArrays host_store;
    HostArrayWork host_work;
    Training on_host(plan, *rule.part(), initial, host_store, host_work, host_work);
    CudaArrayStore store({0, 0, servers, servers});
    StreamArrayWork work(stream());
    ArrayWork& server_work =
        servers == kOnHost ? static_cast<ArrayWork&>(host_work) : static_cast<ArrayWork&>(work);
    Training on_device(plan, *rule.part(), initial, store, work, server_work);
    const auto seed = static_cast<std::uint32_t>(random_());
    train(on_host, seed, [] {});
    train(on_device, seed, [this] { wait(); });
    const auto expect_like = [&](const std::vector<float>& found,
                                 const std::vector<float>& expected) {
      ASSERT_EQ(found.size(), expected.size());
      EXPECT_LE(relative_distance(found, expected), tolerance);
    };
    EXPECT_GT(relative_distance(on_host.buffers().model(), initial), 1e-3);
    expect_like(on_device.buffers().model(), on_host.buffers().model());
    EXPECT_THAT(on_device.buffers().kept_versions(), ElementsAre(0, 2));
    for (const std::int64_t version : {0, 2}) {
      expect_like(on_device.buffers().kept_model(version), on_host.buffers().kept_model(version));
    }
    for (const RoleId worker : {0, 1}) {
      expect_like(on_device.weights(worker), on_device.buffers().model());
    }
  }

 private:
  std::unique_ptr<DeviceStream> stream_;
  std::mt19937 random_{std::random_device{}()};
};

TEST_F(CudaArraysTest, AreZerosInTheOwnersMemory) {
  CudaArrayStore store({0, kOnHost});
  for (const RoleId owner : {0, 1}) {
    const SharedArray array = store.allocate(owner, 5);
    EXPECT_THAT(store.read(array->floats()), ElementsAre(0, 0, 0, 0, 0));
    store.write(std::vector<float>{1, 2, 3, 4, 5}, *array);
    EXPECT_THAT(store.read(array->floats().subspan(3)), ElementsAre(4, 5));
    EXPECT_TRUE(store.allocate(owner, 0)->floats().empty());
  }
  const SharedArray pinned = store.allocate(1, 1);
  pinned->floats()[0] = 7;  // the host can write to it
  EXPECT_THAT(store.read(pinned->floats()), ElementsAre(7));
}

TEST_F(CudaArraysTest, SayWhenMemoryIsShort) {
  if (!limit_memory(0, 1 << 20)) GTEST_SKIP() << "memory of a real GPU";
  CudaArrayStore store({0});
  try {
    store.allocate(0, 1 << 20);
    FAIL() << "4 MiB in 1 MiB";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("out of memory on GPU 0"));
    EXPECT_FALSE(error.lasting());
  }
}

// Bitwise equal without norms and distances, which are summed in another order.
TEST_F(CudaArraysTest, BuffersTrainAsOnTheHost) {
  for (const int servers : {0, kOnHost}) {
    for (const char* kind : {"sgd", "momentum", "adagrad", "adam"}) {
      compare("{kind: " + std::string(kind) + ", staleness: per-gradient}", servers, 0);
    }
  }
}

TEST_F(CudaArraysTest, FactorsOfNormsAndDistancesAreFoundOnTheWay) {
  for (const int servers : {0, kOnHost}) {
    compare("{kind: sgd, clip: 0.5}", servers, 1e-6);
    compare("{kind: adam, learning_rate: 0.1, clip: 2}", servers, 1e-6);
    compare("{kind: momentum, staleness: {kind: distance, c: 0.5}}", servers, 1e-6);
    compare("{kind: sgd, clip: 3, staleness: {kind: distance, c: 0.5}}", servers, 1e-6);
  }
}

TEST_F(CudaArraysTest, MoreDeferredFactorsThanTheRingHolds) {
  const Choice<Optimizer> rule = optimizer("{kind: sgd, clip: 1}");
  const std::vector<float> ones(64, 1);
  CudaArrayStore store({0});
  StreamArrayWork work(stream());
  const SharedArray weights = store.allocate(0, 64);
  const SharedArray gradient = store.allocate(0, 64);
  store.write(ones, *gradient);  // norm 8
  const UpdateArrays arrays{weights->floats(), weights->floats(), gradient->floats(), {}, {}, {}};
  constexpr int kUpdates = 3 * StreamArrayWork::kMostDeferred;
  for (int i = 0; i < kUpdates; ++i) work.update(*rule.part(), 8, 1, arrays, {});
  wait();
  EXPECT_EQ(store.read(weights->floats()), std::vector<float>(64, -kUpdates));
}

TEST_F(CudaArraysTest, NothingIsAllocatedInAStep) {
  if (allocations(0) < 0) GTEST_SKIP() << "a real GPU's allocations are not counted";
  const Plan plan = plan_of_servers();
  const Choice<Optimizer> rule = optimizer("{kind: adam, clip: 1}");
  CudaArrayStore store({0, 0, 0, 0});
  StreamArrayWork work(stream());
  Training run(plan, *rule.part(), random_floats(random()), store, work, work);
  const std::int64_t before = allocations(0);
  train(run, 1, [this] { wait(); });
  EXPECT_EQ(allocations(0), before);
}

// The fetch waits behind a call that lasts until the servers have published further versions.
TEST_F(CudaArraysTest, AFetchInFlightKeepsItsVersion) {
  const Plan plan = plan_of_servers();
  const Choice<Optimizer> rule = optimizer("{kind: sgd, learning_rate: 1}");
  const std::vector<float> initial = random_floats(random());
  CudaArrayStore store({0, 0, 0, 0});
  const DeviceStream fetching;
  StreamArrayWork fetches(fetching.get());
  StreamArrayWork updates(stream());
  Training run(plan, *rule.part(), initial, store, fetches, updates);
  run.compute(0, random_floats(random()));
  run.push(0);
  check(cudaStreamSynchronize(fetching.get()), "copying");
  run.sum(0, true, 0);
  run.update(1, 1);  // the first version is kept in any case, this one is not
  wait();
  const std::vector<float> published = run.buffers().model();
  run.publish(1);
  std::atomic<bool> go{false};
  const auto wait_for = [](void* flag) { static_cast<std::atomic<bool>*>(flag)->wait(false); };
  check(cudaLaunchHostFunc(fetching.get(), wait_for, &go), "queueing a call");
  const std::vector<Held> held = run.fetch(1);
  for (std::int64_t version = 2; version <= 5; ++version) {
    run.update(version, 1);
    wait();
    run.publish(1);
  }
  go = true;
  go.notify_all();
  check(cudaStreamSynchronize(fetching.get()), "copying");
  EXPECT_EQ(run.weights(1), published);
  EXPECT_NE(run.buffers().model(), published);
}

}  // namespace
}  // namespace paceline::cuda
