// SPDX-License-Identifier: MIT
#include "cli/saturation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/made_up_profile.hpp"
#include "tests/cli/star_machine.hpp"
#include "tests/training/profile/measured_profile.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;
using End = Saturation::End;

Saturation found(const Star& given) {
  const ExperimentFile file = star(given);
  return find_saturation(file.points.front(), Device::any, nullptr);
}

const std::string kAsync = "update: async\naggregation: {kind: parameter-server, overlap: false}\n";
const std::string kSync = "update: sync\naggregation: {kind: parameter-server, overlap: false}\n";

// The server takes s = 3 ms per gradient (3 passes of 10 MB at 10 GB/s). A worker takes c = 56 ms
// in addition, and copies take 0.02 ms. The server is full with (c + s)/s = 19.67 workers and busy
// for 95 % of the time with 18.7. Workers do not wait then: 19 updates, of 32 items each, in 59.02
// ms.
TEST(Saturation, IsWhereTheServerOfAsynchronousWorkersIsFull) {
  const Saturation result = found({.memory = "10 GB/s", .rest = kAsync + "workers: 4\n"});
  EXPECT_EQ(result.end, End::found);
  EXPECT_EQ(result.resource.kind, SharedResource::Kind::server);
  EXPECT_EQ(result.resource.name, "the server");
  EXPECT_EQ(result.workers, 19);
  EXPECT_NEAR(result.throughput, 19 * 32 / 0.05902, 0.001 * 19 * 32 / 0.05902);
}

// The result does not depend on the point's number of workers.
TEST(Saturation, DoesNotDependOnWhereItBegins) {
  for (const int workers : {1, 20, 40, 64}) {
    const Saturation result =
        found({.memory = "10 GB/s", .rest = kAsync + "workers: " + std::to_string(workers) + "\n"});
    EXPECT_EQ(result.end, End::found) << workers;
    EXPECT_EQ(result.workers, 19) << workers;
  }
}

Saturation of_nodes(const std::string& text) {
  const ExperimentFile file = load_experiment_text("nodes.yaml", "name: nodes\n" + text, {});
  return find_saturation(file.points.front(), Device::any, nullptr);
}

// Links within a computer are full at 8 workers, and each further computer has links of its own: an
// all-reduce among 64 trains more than twice as much.
TEST(Saturation, IsNotThatOfOneComputerOfMany) {
  const Saturation result = of_nodes(
      "machine: {of: p2-8xlarge-k80, count: 16, network: ethernet-10g}\n"
      "model: alexnet\nsoftware: pytorch\nworkers: 64\n"
      "aggregation: {kind: allreduce, algorithm: hierarchical}\n");
  EXPECT_GT(result.workers, 8);
}

// Every gradient crosses the host's port in 1 ms, and the weights cross it in 1 ms in the other
// direction. Workers of 19 ms + 1 ms + 1 ms fill the port when there are 21, or a few more: without
// jitter all of them push at the same time and then all of them fetch.

// A worker alone makes no copies, which says nothing of what thousands cost to simulate.
TEST(Saturation, IsNotSearchedAmongThousandsWhoseCopiesAreTooMany) {
  const Saturation result = of_nodes(
      "machine: {of: dgx1-p100, count: 512, network: infiniband-edr}\n"
      "model: resnet50\nbatch: 32\nworkers: 4096\n"
      "aggregation: {kind: allreduce, algorithm: hierarchical, bucket: 25 MB}\n");
  EXPECT_EQ(result.end, Saturation::End::too_costly);
  EXPECT_LT(result.workers, 1024);
}

TEST(Saturation, NamesTheLinkThatIsFull) {
  const Saturation result =
      found({.link = "10 GB/s", .compute = "19 ms", .rest = kAsync + "workers: 8\n"});
  EXPECT_EQ(result.end, End::found);
  EXPECT_EQ(result.resource.kind, SharedResource::Kind::link);
  EXPECT_THAT(result.resource.name,
              testing::AnyOf("the link switch->cpu0", "the link cpu0->switch"));
  EXPECT_THAT(result.workers, AllOf(Ge(20), Le(28)));
}

// Synchronous throughput: P/(c + P s). A doubling of P adds less than 5 % of 1/(c + s) per worker
// if (1 + y)(1 + 2 y) > 20 (c + s)/c with y = P s/c: y = 2.5, P = 47.
TEST(Saturation, OfSynchronousWorkersComesGradually) {
  const Saturation result =
      found({.gpus = 128, .memory = "10 GB/s", .rest = kSync + "workers: 8\n"});
  EXPECT_EQ(result.end, End::found);
  EXPECT_EQ(result.resource.kind, SharedResource::Kind::server);
  EXPECT_THAT(result.workers, AllOf(Ge(40), Le(54)));
}

TEST(Saturation, EndsWithTheMachine) {
  const Saturation result =
      found({.gpus = 8, .memory = "10 GB/s", .rest = kAsync + "workers: 4\n"});
  EXPECT_EQ(result.end, End::machine);
  EXPECT_EQ(result.workers, 8);
  EXPECT_EQ(result.resource.name, "the server");
  EXPECT_NEAR(result.resource.busy, 8 * 3.0 / 59.02, 1e-3);
}

TEST(Saturation, EndsWithTheGpusThatAreListed) {
  const ExperimentFile file = load_experiment_text(
      "listed.yaml",
      "name: listed\nmachine: {of: dgx1-v100, count: 2, network: infiniband-hdr}\nmodel: {kind: "
      "synthetic, compute: 10 ms, gradient: 1 MB}\nworkers: 3\ngpus: [0, 8, 1]\naggregation: "
      "{kind: allreduce, algorithm: nccl}\nsteps: 5\n",
      {});
  const Saturation result = find_saturation(file.points.front(), Device::any, nullptr);
  EXPECT_LE(result.workers, 3);
}

// Regression: the search leapt to the largest number of workers, 64, which push and fetch in turns,
// so that no link is busy all the time in the few rounds of a probe. Remote workers send 102 MB at
// 1.18 GB/s in 87 ms, and compute for 1.23 s: 14 of these fill the link, and 8 workers are local.
TEST(Saturation, IsFoundBelowTheMachinesLimit) {
  const ExperimentFile file = load_experiment_text(
      "k80.yaml",
      "name: k80\nmodel: resnet50\nmachine: {of: p2-8xlarge-k80, count: 8, network: ethernet-10g}\n"
      "batch: 64\nworkers: 64\nupdate: async\n",
      {});
  const Saturation result = find_saturation(file.points.front(), Device::any, nullptr);
  EXPECT_EQ(result.end, End::found);
  EXPECT_EQ(result.resource.kind, SharedResource::Kind::link);
  EXPECT_THAT(result.workers, AllOf(Ge(18), Le(28))) << "a probe of few rounds finds it early";
}

// This computer has as many GPUs as its profile.
TEST(Saturation, EndsWithTheGpusOfThisComputer) {
  const ExperimentFile file = load_experiment_text(
      "this.yaml",
      "name: this\nmodel: {kind: synthetic, compute: 100 ms, gradient: 1 MB}\nmachine: this\n"
      "workers: 2\nupdate: async\n",
      {});
  const Profile profile = measured_profile(2);
  const Saturation result = find_saturation(file.points.front(), Device::cuda, &profile);
  EXPECT_EQ(result.end, End::machine) << result.problem;
  EXPECT_EQ(result.workers, 2);
  EXPECT_THAT(sentence_of(result, file.points.front()),
              testing::StartsWith("nothing saturates up to 2 workers, all that this computer has"));
}

// A profile without the network's times. The run has its results by then, so the search must not
// fail it.
TEST(Saturation, ThrowsNothingWhereASimulationFails) {
  const ExperimentFile file = load_experiment_text("f.yaml", "name: f\nmodel: mlp\n", {});
  const Profile profile = made_up_profile();
  const Saturation result = find_saturation(file.points.front(), Device::host, &profile);
  EXPECT_EQ(result.end, End::failed);
  EXPECT_THAT(sentence_of(result, file.points.front()),
              testing::StartsWith("the search for saturation failed: no profile of 'mlp'"));
}

// The busiest links are risers of 0.8 GB/s with one GPU each: a gradient of 100 MB occupies a riser
// for 125 ms and the switch's uplink for 8 ms. Further workers use other risers.
TEST(Saturation, IsNotOfALinkThatOneWorkerUses) {
  const ExperimentFile file = load_experiment_text(
      "r.yaml",
      "name: r\nmodel: {kind: synthetic, compute: 300 ms, gradient: 100 MB}\nmachine: 7gforce\n"
      "workers: 7\naggregation: {kind: parameter-server, placement: cpu}\n",
      {});
  const Saturation result = find_saturation(file.points.front(), Device::any, nullptr);
  EXPECT_EQ(result.end, End::machine);
  EXPECT_EQ(result.workers, 7);
  EXPECT_NE(result.resource.name, "");
  EXPECT_THAT(result.resource.name, testing::Not(testing::HasSubstr("gpu")));
  EXPECT_FALSE(result.resource.of_one_worker);
}

// On an ideal machine nothing takes time, so nothing saturates.
TEST(Saturation, DoesNotHappenOnAnIdealMachine) {
  const ExperimentFile file = load_experiment_text(
      "i.yaml",
      "name: i\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nmachine: ideal\n"
      "workers: 4\nupdate: async\n",
      {});
  const Saturation result = find_saturation(file.points.front(), Device::any, nullptr);
  EXPECT_EQ(result.end, End::nothing);
  EXPECT_EQ(sentence_of(result, file.points.front()),
            "nothing saturates: workers share nothing that takes time");
}

// An update of 4 gradients takes as long with 4 workers as with more; additional workers only wait.
TEST(Saturation, OfAFixedNumberOfGradientsIsWaiting) {
  const ExperimentFile file = load_experiment_text(
      "k.yaml",
      "name: k\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nmachine: ideal\n"
      "workers: 8\nupdate: {kind: k-sync, k: 4}\n",
      {});
  const Saturation result = find_saturation(file.points.front(), Device::any, nullptr);
  EXPECT_EQ(result.end, End::waiting);
  EXPECT_EQ(result.workers, 4);
  EXPECT_THAT(sentence_of(result, file.points.front()),
              testing::StartsWith("more than 4 workers add nothing"));
}

TEST(Saturation, IsNotSearchedForIndependentWorkers) {
  const Saturation result = found({.rest = "aggregation: independent\nworkers: 4\n"});
  EXPECT_EQ(result.end, End::not_searched);
}

TEST(Saturation, IsASentence) {
  const ExperimentFile file = star({.rest = "workers: 4\n"});
  Saturation one;
  one.end = End::found;
  one.workers = 190;
  one.throughput = 5213;
  one.resource.name = "the server";
  const auto sentence = [&] { return sentence_of(one, file.points.front()); };
  EXPECT_EQ(sentence(), "the server saturates near 190 workers (5,210 samples/sec)");
  one.end = End::machine;
  one.workers = 8;
  EXPECT_EQ(sentence(), "nothing saturates up to 8 workers, all that machine has");
  one.resource.busy = 0.25;
  EXPECT_EQ(sentence(),
            "nothing saturates up to 8 workers, all that machine has (extrapolated: the server "
            "would be full near 32 workers)");
  one.resource.busy = 0;
  one.end = End::too_costly;
  EXPECT_EQ(sentence(), "nothing saturates up to 8 workers, where the search ended");
  one.workers = 2;
  EXPECT_EQ(sentence(), "") << "less than the point's own workers says nothing";
}

}  // namespace
}  // namespace paceline
