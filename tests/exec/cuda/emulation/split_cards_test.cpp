// SPDX-License-Identifier: MIT
// One card as several virtual GPUs: the size of groups of SMs, the group of each stream, and the
// report if the driver cannot split.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <unistd.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/machine/split_card.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"
#include "tests/exec/cuda/machine/refused_split.hpp"
#include "training/experiment/setting.hpp"

namespace paceline::cuda {
namespace {

using testing::HasSubstr;

class SplitCardTest : public DeviceTest {};

ExperimentFile experiment(int workers, const std::string& more) {
  return load_experiment_text(
      "green.yaml",
      "name: green\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 8\nsteps: 6\nwarmup: 1\ntrain: {evaluate: 2, held_out: 64}\nworkers: " +
          std::to_string(workers) + "\n" + more,
      {});
}

using emulation::green_groups;
using emulation::GreenSettings;
using emulation::SmGroup;

/// With the limits of a Hopper card: groups of at least 8 SMs, in multiples of 8.
TEST_F(SplitCardTest, GroupsAreAsLargeAsTheyComeAlike) {
  struct Case {
    int groups, sms, rest;
  };
  for (const Case& expected : {Case{1, 128, 4}, Case{2, 64, 4}, Case{3, 40, 12}, Case{4, 32, 4},
                               Case{8, 16, 4}, Case{16, 8, 4}}) {
    emulation::restart();
    const GreenContexts green(0, expected.groups);
    EXPECT_EQ(green.sms().sms, expected.sms) << expected.groups;
    EXPECT_EQ(green.sms().rest, expected.rest) << expected.groups;
    std::set<unsigned> taken;
    for (const SmGroup& group : green_groups()) {
      for (unsigned sm = group.first; sm < group.first + group.sms; ++sm) {
        EXPECT_TRUE(taken.insert(sm).second) << "SM " << sm << " is in two groups";
      }
    }
    // a rest that is large enough for a group becomes the servers' group
    const bool servers = expected.rest >= 8;
    EXPECT_EQ(green_groups().size(), static_cast<std::size_t>(expected.groups) + (servers ? 1 : 0));
    EXPECT_EQ(green.server_group(), servers ? expected.groups : kWholeCard);
  }
}

TEST_F(SplitCardTest, TheDriverSaysWhatGroupsThereMayBe) {
  GreenSettings ampere;
  ampere.sms = 108;
  ampere.minimum = 4;
  ampere.multiple = 2;
  emulation::set_green(ampere);
  const GreenContexts green(0, 8);
  EXPECT_EQ(green.describe(), "8 groups of 12 of 108 SMs, servers on 12 SMs of their own");
}

// Groups are within clusters of SMs: of 4 x 32 there may be room for 3 only, of 24 for 4.
TEST_F(SplitCardTest, SmallerGroupsAreMadeWhereLargeOnesDoNotFit) {
  GreenSettings driver;
  driver.groups_at_most = 3;
  driver.groups_above = 32;
  emulation::set_green(driver);
  EXPECT_EQ(GreenContexts(0, 4).describe(),
            "4 groups of 24 of 132 SMs, servers on 36 SMs of their own");
}

TEST_F(SplitCardTest, WhatCannotBeSplitSaysWhy) {
  EXPECT_EQ(refused(16), "");
  EXPECT_EQ(refused(17), "17 groups of at least 8 SMs are more than the 132 of the card");
  GreenSettings driver;
  driver.driver = 12020;
  emulation::set_green(driver);
  EXPECT_EQ(refused(2), "green contexts need a driver of CUDA 12.5; this is 12.2");
  driver = {};
  driver.groups_at_most = 3;
  emulation::set_green(driver);
  EXPECT_EQ(refused(4), "the driver makes 3 groups of 8 SMs, not 4");
  for (const char* call :
       {"cuDeviceGetDevResource", "cuDevSmResourceSplitByCount", "cuGreenCtxCreate"}) {
    driver = {};
    driver.failing = call;
    emulation::set_green(driver);
    EXPECT_EQ(refused(2), std::string(call) + ": CUDA_ERROR_NOT_SUPPORTED");
  }
}

TEST_F(SplitCardTest, WhatWasMadeIsGivenBack) {
  {
    const GreenContexts green(0, 4);
    const DeviceStream stream = green.stream(2);
    EXPECT_EQ(green_groups()[2].live_streams, 1);
  }
  for (const SmGroup& group : green_groups()) {
    EXPECT_FALSE(group.alive);
    EXPECT_EQ(group.live_streams, 0);
  }
}

/// Runs a point and returns its groups.
std::vector<SmGroup> groups_of(const ExperimentFile& file, std::string* split = nullptr) {
  emulation::restart();
  const Setting setting = make_setting(file.points.front());
  {
    CudaExecution execution(setting, "");
    if (split != nullptr) *split = execution.split();
    Recorder recorder(setting.counting);
    EXPECT_EQ(execution.run(0, recorder).status, "ok");
  }
  return green_groups();
}

TEST_F(SplitCardTest, EveryWorkerComputesInItsOwnGroup) {
  std::string split;
  const std::vector<SmGroup> groups =
      groups_of(experiment(3,
                           "devices: {virtual: 4, split: green}\n"
                           "aggregation: {kind: allreduce, algorithm: ring}\nupdate: sync\n"),
                &split);
  EXPECT_EQ(split, "green: 4 groups of 32 of 132 SMs, servers on the whole card");
  ASSERT_EQ(groups.size(), 4U);
  for (std::size_t worker = 0; worker < 3; ++worker) {
    EXPECT_EQ(groups[worker].streams, 3) << "compute, push and copy of mini-batches";
    EXPECT_EQ(groups[worker].handles, 2) << "cuDNN's and cuBLASLt's";
    EXPECT_GT(groups[worker].kernels, 50);
    EXPECT_GT(groups[worker].copies, 0);
    EXPECT_EQ(groups[worker].live_streams, 0);
    EXPECT_FALSE(groups[worker].alive);
  }
  EXPECT_EQ(groups[3].streams, 0) << "there is no fourth worker";
}

TEST_F(SplitCardTest, AServerOnTheCardHasTheRestOrAllOfIt) {
  const auto with_server = [](int workers) {
    return groups_of(experiment(
        workers, "devices: {virtual: " + std::to_string(workers) +
                     ", split: green}\naggregation: {kind: parameter-server, placement: gpu}\n"));
  };
  const std::vector<SmGroup> three = with_server(3);  // 3 x 40 and a rest of 12
  ASSERT_EQ(three.size(), 4U);
  EXPECT_EQ(three[3].sms, 12U);
  EXPECT_GT(three[3].kernels, 0);
  EXPECT_EQ(three[3].handles, 0);
  const std::vector<SmGroup> two =
      with_server(2);  // 2 x 64 and a rest of 4, which is too small for a group
  ASSERT_EQ(two.size(), 2U);
  EXPECT_GT(emulation::counts(0).kernels, two[0].kernels + two[1].kernels) << "the server's";
}

TEST_F(SplitCardTest, ShardsOnGpusAreInTheirWorkersGroups) {
  const std::string card = "devices: {virtual: 2, split: green}\n";
  const std::vector<SmGroup> sharded = groups_of(
      experiment(2, card + "aggregation: {kind: parameter-server, placement: sharded-gpus}\n"));
  ASSERT_EQ(sharded.size(), 2U);
  EXPECT_EQ(sharded[0].streams, 5) << "four of the worker, one of the shard";
  EXPECT_EQ(sharded[1].streams, 5) << "four of the worker, one of the shard";
}

TEST_F(SplitCardTest, AlgorithmsAreChosenForAsManyMultiprocessorsAsThereAre) {
  const std::string cache = testing::TempDir() + "paceline-green-cache-" + std::to_string(getpid());
  std::filesystem::remove_all(cache);
  const ExperimentFile file = experiment(1, "devices: {virtual: 8, split: green}\n");
  const Setting setting = make_setting(file.points.front());
  {
    CudaExecution execution(setting, cache);
    Recorder recorder(setting.counting);
    EXPECT_EQ(execution.run(0, recorder).status, "ok");
  }
  std::ifstream cache_file(cache + "/algorithms.yaml");
  const std::string text((std::istreambuf_iterator<char>(cache_file)), {});
  EXPECT_THAT(text, HasSubstr("\"Emulated GPU, 16 SMs, "));
  EXPECT_THAT(text, testing::Not(HasSubstr("132 SMs")));
  std::filesystem::remove_all(cache);
}

TEST_F(SplitCardTest, WhereTheDriverCannotStreamsShareTheCard) {
  const ExperimentFile file = experiment(2, "devices: {virtual: 2, split: green}\n");
  GreenSettings driver;
  driver.driver = 12020;
  emulation::set_green(driver);
  const Setting setting = make_setting(file.points.front());
  CudaExecution execution(setting, "");
  EXPECT_EQ(execution.split(), "streams (green contexts need a driver of CUDA 12.5; this is 12.2)");
  Recorder recorder(setting.counting);
  EXPECT_EQ(execution.run(0, recorder).status, "ok");
  EXPECT_TRUE(green_groups().empty());
}

TEST_F(SplitCardTest, NothingIsSplitUnlessRequested) {
  std::string split = "?";
  EXPECT_TRUE(groups_of(experiment(1, ""), &split).empty());
  EXPECT_EQ(split, "");
  EXPECT_TRUE(groups_of(experiment(2, "devices: {virtual: 2}\n"), &split).empty());
  EXPECT_EQ(split, "streams");
}

}  // namespace
}  // namespace paceline::cuda
