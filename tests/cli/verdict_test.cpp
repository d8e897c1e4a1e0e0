// SPDX-License-Identifier: MIT
#include "cli/verdict.hpp"

#include <gtest/gtest.h>

#include "tests/cli/star_machine.hpp"

namespace paceline {
namespace {

using Kind = SharedResource::Kind;

Measurement step(double compute, double delay, double comm, double wait) {
  Measurement measurement;
  measurement.compute = compute;
  measurement.delay = delay;
  measurement.exposed_comm = comm;
  measurement.wait = wait;
  measurement.input = 0;
  measurement.step_mean = compute + delay + comm + wait;
  return measurement;
}

class Verdict : public testing::Test {
 protected:
  std::string of(const Measurement& predicted, const std::vector<SharedResource>& busy,
                 const Saturation& saturation, const std::vector<WhatIf>& changes) const {
    return verdict_of(file_.points.front(), {step_parts(predicted, behind), slow}, busy, saturation,
                      changes);
  }

  BehindArithmetic behind;
  std::vector<int> slow;

  ExperimentFile file_ = star({.rest = "workers: 8\n"});
};

TEST_F(Verdict, SaysWhatTakesMostOfAStepAndWhereItSaturates) {
  Saturation later;
  later.end = Saturation::End::found;
  later.workers = 190;
  later.throughput = 2600;
  later.resource = {Kind::server, "the server", 0.95};
  EXPECT_EQ(of(step(0.995, 0, 0.005, 0), {{Kind::server, "the server", 0.0415}}, later,
               {{"PCIe twice as fast", 0.003}}),
            "compute-bound: 99.5 % of a step is arithmetic; the server is busy 4.15 % and "
            "saturates near 190 workers (2,600 samples/sec); PCIe twice as fast would add 0.30 %");
}

TEST_F(Verdict, NamesTheResourceThatIsFull) {
  Saturation before;
  before.end = Saturation::End::found;
  before.workers = 6;
  before.resource = {Kind::server, "the server", 0.96};
  EXPECT_EQ(of(step(0.5, 0, 0.5, 0), {{Kind::server, "the server", 0.998}}, before,
               {{"PCIe twice as fast", 0.0001}}),
            "server-bound: the server is busy 99.8 % and is saturated from 6 workers on; "
            "none of the changes tried would add 0.1 %");
  EXPECT_EQ(of(step(0.5, 0, 0.5, 0), {{Kind::link, "the link plx0->cpu0", 0.95}}, {}, {}),
            "link-bound: the link plx0->cpu0 is busy 95.0 %");
}

TEST_F(Verdict, SaysWithHowManyMoreWorkersAResourceFills) {
  Saturation before;
  before.end = Saturation::End::found;
  before.workers = 8;
  before.resource = {Kind::link, "the link switch->n0.nic0", 0.741};
  before.resource_at = 16;
  EXPECT_EQ(of(step(0.5, 0, 0.5, 0), {}, before, {}),
            "compute-bound: 50.0 % of a step is arithmetic; more than 8 workers add next to "
            "nothing: with 16 workers, the link switch->n0.nic0 is busy 74.1 %");
}

// Workers wait for 1.1 s of a step of 2.4 s.
TEST_F(Verdict, NamesTheWorkersThatTheOthersWaitFor) {
  slow = {1};
  EXPECT_EQ(of(step(1.3, 0, 0, 1.1), {}, {}, {}),
            "straggler-bound: worker 1 costs 45.8 % of a step, in which the others wait");
  slow = {1, 3};
  EXPECT_EQ(of(step(1.3, 0, 0, 1.1), {}, {}, {}),
            "straggler-bound: workers 1 and 3 cost 45.8 % of a step, in which the others wait");
  EXPECT_EQ(of(step(1.9, 0, 0, 0.3), {}, {}, {}), "compute-bound: 86.4 % of a step is arithmetic")
      << "the wait is short";
}

TEST_F(Verdict, CountsNoLaunchesAndNoLibraryAsArithmetic) {
  behind.launches = 0.6;
  EXPECT_EQ(of(step(1, 0, 0, 0), {}, {}, {}),
            "launch-bound: 60.0 % of a step waits for kernels to be launched");
  behind = {0, 0.6};
  EXPECT_EQ(of(step(1, 0, 0, 0), {}, {}, {}),
            "communication-bound: 60.0 % of a step is what the all-reduce takes from the GPU");
}

// Regression: "compute-bound:  of a step is arithmetic" for resnet50 on `ideal`.
TEST_F(Verdict, IsNoBoundWhereNothingTakesTime) {
  Saturation waiting;
  waiting.end = Saturation::End::waiting;
  EXPECT_EQ(of(step(0, 0, 0, 0), {}, waiting, {}),
            "nothing bounds the throughput: a step takes no time on machine");
}

TEST_F(Verdict, IsOfWhateverTakesMost) {
  EXPECT_EQ(of(step(0.01, 0.99, 0, 0), {}, {}, {}),
            "straggler-bound: 99.0 % of a step is injected delay");
  EXPECT_EQ(of(step(0.2, 0, 0.8, 0), {}, {}, {}),
            "communication-bound: 80.0 % of a step waits for communication");
  EXPECT_EQ(of(step(0.2, 0, 0.2, 0.6), {}, {}, {}),
            "wait-bound: 60.0 % of a step waits for other workers");
}

}  // namespace
}  // namespace paceline
