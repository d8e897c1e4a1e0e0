// SPDX-License-Identifier: MIT
// The schedules of strategies, without a clock: what a role queues, what each operation follows,
// and what it sends.
#include <gmock/gmock.h>

#include "tests/training/strategies/scripted_backend.hpp"
#include "tests/training/strategies/twelve_parameters.hpp"
#include "training/strategies/downpour.hpp"
#include "training/strategies/downpour_messages.hpp"
#include "training/strategies/parameter_server.hpp"
#include "training/strategies/parameter_server_messages.hpp"

namespace paceline {
namespace {

using namespace parameter_server;
using testing::ElementsAre;
using testing::Field;

Token backward(const ScriptedBackend& backend, RoleId worker, int n) {
  return backend.nth<Command::Compute>(n, compute_of(worker), [](const Command::Compute& compute) {
    return compute.layers.pass == Pass::backward;
  });
}
Token forward(const ScriptedBackend& backend, RoleId worker, int n) {
  return backend.nth<Command::Compute>(n, compute_of(worker), [](const Command::Compute& compute) {
    return compute.layers.pass == Pass::forward;
  });
}

/// Worker 2 of three, with one server.
class WorkerScheduleTest : public testing::Test {
 protected:
  static constexpr RoleId kMe = 2;
  static constexpr RoleId kServer = 3;

  void start() { backend_.start(kMe, parameter_server_worker(plan_, backend_, kMe)); }
  void offer(std::int64_t version, bool accepted) {
    Weights weights{version, 0, 0};
    weights.accepted = accepted;
    backend_.deliver(kMe, Kinds::make(kServer, weights));
  }

  Plan plan_ = plan_of(3, 1);
  ScriptedBackend backend_{4, {kMe}};
};

TEST_F(WorkerScheduleTest, ABucketIsPushedOnceItsLayersHaveGoneBackward) {
  start();
  EXPECT_TRUE(backend_.queued().empty()) << "it has no weights yet";
  offer(0, false);
  ASSERT_EQ(backend_.count<Command::Copy>(push_of(kMe)), kBuckets);
  for (int n = 1; n <= kBuckets; ++n) {
    const Token push = backend_.nth<Command::Copy>(n, push_of(kMe));
    EXPECT_TRUE(backend_.follows(push, backward(backend_, kMe, n)));
    for (int later = n + 1; later <= kBuckets; ++later) {
      EXPECT_FALSE(backend_.follows(push, backward(backend_, kMe, later)));
    }
    EXPECT_EQ(backend_.command<Command::Copy>(push).slice.begin, 12 - 4 * n) << "last layers first";
    EXPECT_EQ(backend_.command<Command::Copy>(push).to, (BufferRef{kServer, Buffer::landing, kMe}));
  }
}

TEST_F(WorkerScheduleTest, WithoutOverlapAllIsPushedAfterTheFirstLayer) {
  plan_.cut.buckets = {{0, 3, {0, 12, 48}}};
  plan_.overlap = false;
  start();
  offer(0, false);
  ASSERT_EQ(backend_.count<Command::Copy>(push_of(kMe)), 1);
  EXPECT_TRUE(
      backend_.follows(backend_.nth<Command::Copy>(1, push_of(kMe)), backward(backend_, kMe, 1)));
}

TEST_F(WorkerScheduleTest, ForwardGoesLayerByLayerBehindTheFetches) {
  start();
  offer(0, false);
  for (int n = 1; n <= kBuckets; ++n) {
    const Token fetched = backend_.nth<Command::Copy>(n, fetch_of(kMe));
    EXPECT_EQ(backend_.command<Command::Copy>(fetched).slice.begin, 4 * (n - 1));
    EXPECT_TRUE(backend_.follows(forward(backend_, kMe, n), fetched));
    if (n == kBuckets) break;
    EXPECT_FALSE(backend_.follows(forward(backend_, kMe, n),
                                  backend_.nth<Command::Copy>(n + 1, fetch_of(kMe))));
  }
}

TEST_F(WorkerScheduleTest, TheGradientIsReportedOnceItsLastByteHasArrived) {
  start();
  offer(0, false);
  ASSERT_EQ(backend_.sent().size(), 1U);
  EXPECT_EQ(backend_.sent().front().to, kServer);
  EXPECT_THAT(backend_.sent().front().after,
              ElementsAre(backend_.nth<Command::Copy>(kBuckets, push_of(kMe))));
  EXPECT_THAT((backend_.messages_to<Kinds, Gradient>(kServer)),
              ElementsAre(testing::AllOf(Field(&Gradient::step, 0), Field(&Gradient::version, 0))));
}

TEST_F(WorkerScheduleTest, AMiniBatchThatWasNotTakenIsCancelledByTheNextVersion) {
  start();
  offer(0, false);
  offer(1, false);
  EXPECT_THAT(backend_.cancelled(),
              ElementsAre(testing::AllOf(Field(&WorkId::worker, kMe), Field(&WorkId::step, 0))));
  // its layers read the old weights until they have stopped
  EXPECT_TRUE(backend_.follows(backend_.nth<Command::Copy>(kBuckets + 1, fetch_of(kMe)),
                               backward(backend_, kMe, kBuckets)));
  EXPECT_EQ((backend_.messages_to<Kinds, Gradient>(kServer).size()), 2U);

  offer(2, true);  // the second one was taken
  EXPECT_EQ(backend_.cancelled().size(), 1U);
  offer(2, true);  // that a server says twice is the go-ahead for another at the same version
  EXPECT_EQ((backend_.messages_to<Kinds, Gradient>(kServer).size()), 4U);
}

TEST_F(WorkerScheduleTest, FetchesAreGivenUpWithTheirMiniBatch) {
  start();
  offer(0, false);
  offer(1, false);
  for (int n = 1; n <= 2 * kBuckets; ++n) {
    EXPECT_EQ(backend_.complete(backend_.nth<Command::Copy>(n, fetch_of(kMe))), n <= kBuckets)
        << "a fetch of version " << (n - 1) / kBuckets;
  }
}

TEST_F(WorkerScheduleTest, AGradientIsNotOverwrittenWhileItIsPushed) {
  plan_ = plan_of(3, 2);
  const auto offer_of_both = [&](std::int64_t version) {
    for (const RoleId server : {kServer, kServer + 1}) {
      backend_.deliver(kMe, Kinds::make(server, Weights{version, 0, 0}));
    }
  };
  start();
  offer_of_both(0);
  const int pushes = backend_.count<Command::Copy>(push_of(kMe));
  EXPECT_GT(pushes, kBuckets) << "one bucket is of both shards";
  offer_of_both(1);  // cancels the mini-batch; its pushes may be under way
  for (int n = 1; n <= kBuckets; ++n) {
    const Token again = backward(backend_, kMe, kBuckets + n);
    EXPECT_EQ(backend_.follows(again, backend_.nth<Command::Copy>(pushes, push_of(kMe))),
              n == kBuckets);
    EXPECT_FALSE(backend_.follows(forward(backend_, kMe, kBuckets + n),
                                  backend_.nth<Command::Copy>(1, push_of(kMe))));
  }
}

TEST_F(WorkerScheduleTest, WeightsAreNotOverwrittenWhileTheyArePushed) {
  plan_.rule.local_steps = 2;
  start();
  offer(0, false);
  offer(1, false);
  EXPECT_TRUE(backend_.follows(backend_.nth<Command::Copy>(kBuckets + 1, fetch_of(kMe)),
                               backend_.nth<Command::Copy>(kBuckets, push_of(kMe))));
}

TEST_F(WorkerScheduleTest, ItStartsWhenTheLastShardHasWeights) {
  plan_ = plan_of(3, 2);
  start();
  backend_.deliver(kMe, Kinds::make(kServer, Weights{}));
  EXPECT_EQ(backend_.count<Command::Compute>(compute_of(kMe)), 0);
  EXPECT_GT(backend_.count<Command::Copy>(fetch_of(kMe)), 0) << "fetches do not wait";
  backend_.deliver(kMe, Kinds::make(kServer + 1, Weights{}));
  EXPECT_EQ(backend_.count<Command::Compute>(compute_of(kMe)), 2 * kBuckets);
}

TEST_F(WorkerScheduleTest, FailedArithmeticIsADeathUnlessItIsOfAnEarlierLife) {
  plan_.mortality.restart = Seconds{1};
  start();
  offer(0, false);
  const auto fail = [&](std::int64_t step) {
    backend_.deliver(kMe, MachineMessages::make(kMachine, ArithmeticFailed{{kMe, step}}));
  };
  fail(0);
  EXPECT_THAT(backend_.killed(), ElementsAre(Field(&WorkId::step, 0)));
  EXPECT_THAT((backend_.messages_to<Kinds, Died>(kServer)), ElementsAre(Field(&Died::step, 0)));
  backend_.end_all();  // the restart is over
  EXPECT_THAT((backend_.messages_to<Kinds, Back>(kServer)), ElementsAre(Field(&Back::life, 1)));
  fail(0);  // the report of its predecessor's mini-batch comes late
  EXPECT_EQ(backend_.killed().size(), 1U);
  Weights weights{1, 0, 1};
  backend_.deliver(kMe, Kinds::make(kServer, weights));
  fail(1);
  EXPECT_EQ(backend_.killed().size(), 2U);
}

/// Shard 0 of a server for three workers.
class ShardScheduleTest : public testing::Test {
 protected:
  static constexpr RoleId kMe = 3;
  void start() { backend_.start(kMe, parameter_server_shard(plan_, backend_, 0)); }
  void give(RoleId worker, std::int64_t step, std::int64_t version) {
    backend_.deliver(kMe, Kinds::make(worker, Gradient{step, version}));
  }
  /// The versions offered to a worker, in order.
  std::vector<std::int64_t> offered(RoleId worker) const {
    std::vector<std::int64_t> versions;
    for (const Weights& weights : backend_.messages_to<Kinds, Weights>(worker)) {
      versions.push_back(weights.version);
    }
    return versions;
  }

  Plan plan_ = plan_of(3, 1);
  ScriptedBackend backend_{4, {kMe}};
};

TEST_F(ShardScheduleTest, OfKSyncTheFirstKMakeTheUpdateAndTheLateOneIsIgnored) {
  plan_.rule.gradients = 2;
  start();
  give(2, 0, 0);
  EXPECT_EQ(backend_.count<Command::Update>(compute_of(kMe)), 0);
  give(0, 0, 0);
  const Token summed = backend_.nth<Command::Reduce>(1, compute_of(kMe));
  EXPECT_EQ(backend_.command<Command::Reduce>(summed).into.slot, 2) << "where the first landed";
  EXPECT_EQ(backend_.command<Command::Reduce>(summed).from.slot, 0);
  const Token updated = backend_.nth<Command::Update>(1, compute_of(kMe));
  EXPECT_TRUE(backend_.follows(updated, summed));
  EXPECT_EQ(backend_.command<Command::Update>(updated).moment.version, 1);
  EXPECT_EQ(backend_.command<Command::Update>(updated).moment.scale, 0.5F);
  give(1, 0, 0);  // too late
  EXPECT_EQ(backend_.count<Command::Reduce>(compute_of(kMe)), 1);
  for (const RoleId worker : {0, 1, 2}) {
    EXPECT_THAT(offered(worker), ElementsAre(0, 1));
    EXPECT_EQ((backend_.messages_to<Kinds, Weights>(worker).back().accepted), worker != 1);
  }
}

TEST_F(ShardScheduleTest, OfAsyncOnlyTheContributorGoesOn) {
  plan_.rule.gradients = 1;
  plan_.rule.current_only = false;
  plan_.rule.restart = Restart::contributors;
  start();
  give(1, 0, 0);
  give(1, 1, 1);
  give(0, 0, 0);
  EXPECT_THAT(offered(0), ElementsAre(0, 3));
  EXPECT_THAT(offered(1), ElementsAre(0, 1, 2));
  EXPECT_THAT(offered(2), ElementsAre(0));
  const Token third = backend_.nth<Command::Update>(3, compute_of(kMe));
  EXPECT_EQ(backend_.command<Command::Update>(third).moment.age.staleness, 2);
}

TEST_F(ShardScheduleTest, WeightsAreAnnouncedOnceTheyArePublished) {
  start();
  for (const RoleId worker : {0, 1, 2}) give(worker, 0, 0);
  const Token updated = backend_.nth<Command::Update>(1, compute_of(kMe));
  for (int n = 4; n <= 6; ++n) {  // after three of version 0
    const Token published = backend_.nth<Command::Publish>(n, compute_of(kMe));
    EXPECT_TRUE(backend_.follows(published, updated));
    EXPECT_THAT(backend_.sent()[static_cast<std::size_t>(n - 1)].after, ElementsAre(published));
  }
}

TEST_F(ShardScheduleTest, AcceptedGradientsAreSentToTheOtherShardsInOrder) {
  plan_ = plan_of(3, 2);
  start();
  for (const RoleId worker : {1, 0, 2}) give(worker, 0, 0);
  const std::vector<Accepted> taken = backend_.messages_to<Kinds, Accepted>(kMe + 1);
  ASSERT_EQ(taken.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(taken[i].worker, (std::vector<RoleId>{1, 0, 2})[i]);
    EXPECT_EQ(taken[i].completes, i == 2);
  }
}

// Worker 1 dies after its gradient: the update under way takes it, and the next one takes two.
TEST_F(ShardScheduleTest, AChosenKFallsToTheWorkersLeftOnceTheDeadOnesGradientIsUsed) {
  plan_.rule.current_only = false;
  plan_.rule.restart = Restart::contributors;
  plan_.rule.adaptation.window = 100;
  start();
  for (const RoleId worker : {0, 1}) give(worker, 0, 0);
  backend_.deliver(kMe, Kinds::make(1, Died{}));
  EXPECT_EQ(backend_.count<Command::Update>(compute_of(kMe)), 0);
  give(2, 0, 0);
  EXPECT_EQ(backend_.count<Command::Update>(compute_of(kMe)), 1);
  for (const RoleId worker : {0, 2}) give(worker, 1, 1);
  EXPECT_EQ(backend_.count<Command::Update>(compute_of(kMe)), 2);
}

Message lost(RoleId worker) {
  return MachineMessages::make(kMachine, WorkerLost{worker});
}

TEST_F(ShardScheduleTest, AWorkerThatDiedAndThenLostItsProcessDiesOnce) {
  plan_ = plan_of(3, 2);
  plan_.rule.gradients = 1;
  plan_.rule.current_only = false;
  plan_.rule.restart = Restart::contributors;
  start();
  backend_.deliver(kMe, Kinds::make(1, Died{}));
  backend_.deliver(kMe, lost(1));
  EXPECT_EQ((backend_.messages_to<Kinds, Lost>(kMe + 1).size()), 1U);
  backend_.deliver(kMe, lost(2));
  EXPECT_EQ((backend_.messages_to<Kinds, Lost>(kMe + 1).size()), 2U);
}

TEST(DownpourScheduleTest, AReplicaThatDiedAndThenLostItsProcessDiesOnce) {
  Plan plan = plan_of(3, 1);
  plan.rule.exchange = {1, 1};
  ScriptedBackend backend(4, {3});
  backend.start(3, downpour_shard(plan, backend, 0));
  backend.deliver(3, downpour::Kinds::make(1, Died{}));
  backend.deliver(3, lost(1));
  backend.deliver(3, downpour::Kinds::make(0, Died{}));  // replica 2 goes on
  EXPECT_FALSE(backend.done(3));
  EXPECT_THROW(backend.deliver(3, lost(2)), std::runtime_error);
}

}  // namespace
}  // namespace paceline
