// SPDX-License-Identifier: MIT
// The work of a mini-batch, without a clock: where validation stands in a worker's stream.
#include "training/strategies/mini_batches.hpp"

#include <gmock/gmock.h>

#include "tests/training/strategies/scripted_backend.hpp"
#include "tests/training/strategies/twelve_parameters.hpp"
#include "training/strategies/checkpoints.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

/// The passes on worker 0's compute stream, in its order: f, b, and v with the batch's number.
std::vector<std::string> passes(const ScriptedBackend& backend) {
  std::vector<std::string> all;
  for (const auto& one : backend.queued()) {
    const auto* compute = one.command.as<Command::Compute>();
    if (compute == nullptr) continue;
    const Pass pass = compute->layers.pass;
    std::string name = pass == Pass::forward ? "f" : pass == Pass::backward ? "b" : "v";
    if (pass == Pass::validation) name += std::to_string(compute->number);
    if (all.empty() || all.back() != name) all.push_back(name);
  }
  return all;
}

TEST(MiniBatchesTest, AValidationPrecedesEveryNthMiniBatch) {
  Plan plan = plan_of(1, 0);
  plan.validation = {2, 2, 1, 0, 1};
  ScriptedBackend backend(1, {0});
  MiniBatches mini_batches(plan, backend, 0);
  std::vector<BucketTokens> buckets(kBuckets);
  for (int step = 0; step < 5; ++step) mini_batches.queue(step, buckets);
  EXPECT_THAT(passes(backend), ElementsAre("f", "b", "f", "b", "v0", "v1", "f", "b", "f", "b", "v2",
                                           "v3", "f", "b"));
  EXPECT_EQ(backend.count<Command::Compute>(compute_of(0)), kBuckets * (2 * 5 + 2 * 2));
}

/// Forward, backward and delays with their milliseconds on worker 0's compute stream, in its order.
std::vector<std::string> passes_and_delays(const ScriptedBackend& backend) {
  std::vector<std::string> all;
  for (const auto& one : backend.queued()) {
    std::string name;
    if (const auto* delay = one.command.as<Command::Delay>(); delay != nullptr) {
      name = std::to_string(delay->ps / 1'000'000'000);
    } else if (const auto* compute = one.command.as<Command::Compute>(); compute != nullptr) {
      name = compute->layers.pass == Pass::forward ? "f" : "b";
    }
    if (!name.empty() && (all.empty() || all.back() != name)) all.push_back(name);
  }
  return all;
}

TEST(MiniBatchesTest, ADelayPrecedesItsPass) {
  Plan plan = plan_of(1, 0);
  plan.delay = [](RoleId, std::int64_t step) {
    return Seconds{0.001} * static_cast<double>(1 + step);
  };
  plan.backward_delay = [](RoleId, std::int64_t step) {
    return Seconds{0.010} * static_cast<double>(1 + step);
  };
  ScriptedBackend backend(1, {0});
  MiniBatches mini_batches(plan, backend, 0);
  std::vector<BucketTokens> buckets(kBuckets);
  for (int step = 0; step < 2; ++step) mini_batches.queue(step, buckets);
  EXPECT_THAT(passes_and_delays(backend), ElementsAre("1", "f", "10", "b", "2", "f", "20", "b"));
}

TEST(MiniBatchesTest, ValidationWaitsForAllWeights) {
  Plan plan = plan_of(1, 0);
  plan.validation = {1, 1, 1, 0, 1};
  ScriptedBackend backend(1, {0});
  MiniBatches mini_batches(plan, backend, 0);
  std::vector<BucketTokens> buckets(kBuckets);
  mini_batches.queue(0, buckets);
  for (BucketTokens& bucket : buckets) bucket.weights = backend.mark(fetch_of(0));
  mini_batches.queue(1, buckets);
  const Token first = backend.nth<Command::Compute>(
      1, compute_of(0), [](const auto& one) { return one.layers.pass == Pass::validation; });
  for (const BucketTokens& bucket : buckets) EXPECT_TRUE(backend.follows(first, bucket.weights));
}

/// The checkpoints of worker 0, which updates weights of its own.
class CheckpointsTest : public testing::Test {
 protected:
  void make(bool asynchronous) {
    plan_.checkpoint = {2, 1e6, asynchronous, 3};
    backend_.emplace(plan_.roles(), std::set<RoleId>{0});
    checkpoints_.emplace(plan_, *backend_, 0);
  }
  Token update(std::int64_t version) {
    return checkpoints_->queue(version, backend_->update(compute_of(0), {}));
  }

  Plan plan_ = plan_of(1, 0);
  std::optional<ScriptedBackend> backend_;
  std::optional<Checkpoints> checkpoints_;
};

TEST_F(CheckpointsTest, TheNextUpdateFollowsASynchronousWrite) {
  make(false);
  update(1);
  EXPECT_EQ(backend_->count<Command::StorageRequest>(compute_of(0)), 0) << "none is due";
  update(2);
  const Token write = backend_->nth<Command::StorageRequest>(1, compute_of(0));
  const auto& request = backend_->command<Command::StorageRequest>(write);
  EXPECT_TRUE(request.writes);
  EXPECT_EQ(request.ps, 144'000'000) << "three arrays of 48 bytes at 1 MB/s";
  update(3);
  EXPECT_TRUE(backend_->follows(backend_->nth<Command::Update>(3, compute_of(0)), write));
}

TEST_F(CheckpointsTest, AnAsynchronousOneIsCopiedOnceTheLastIsWritten) {
  make(true);
  const RoleId writer = plan_.writer(0);
  EXPECT_EQ(writer, 1);
  update(2);
  const Token first = backend_->nth<Command::StorageRequest>(1, compute_of(writer));
  EXPECT_EQ(backend_->count<Command::Copy>(compute_of(0)), 3);
  EXPECT_TRUE(backend_->follows(first, backend_->nth<Command::Copy>(3, compute_of(0))));
  update(3);
  EXPECT_FALSE(backend_->follows(backend_->nth<Command::Update>(2, compute_of(0)), first));
  update(4);
  EXPECT_TRUE(backend_->follows(backend_->nth<Command::Copy>(4, compute_of(0)), first));
}

}  // namespace
}  // namespace paceline
