// SPDX-License-Identifier: MIT
#include "cli/busy_shares.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/costs/prediction.hpp"
#include "tests/cli/made_up_profile.hpp"
#include "tests/cli/star_machine.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

/// A copy from one role to another at a constant rate.
Span copy(RoleId from, RoleId to, double bytes, Seconds begin, Seconds end) {
  Span span;
  span.kind = SpanKind::copy;
  span.stream = {from, StreamKind::push};
  span.from = from;
  span.to = to;
  span.bytes = bytes;
  span.begin = Instant{} + begin;
  span.end = Instant{} + end;
  return span;
}

// Two workers in two processes, with their server in process 0. The window is the second from 1 to
// 2.
TEST(BusyShares, CountsWhatEachProcessSendsAndReceivesInTheWindow) {
  const ExperimentFile file = load_experiment_text(
      "p.yaml",
      "name: p\nmodel: {kind: synthetic, compute: 1 ms}\nmachine: this\nworkers: 2\n"
      "processes: {count: 2, bandwidth: 1 GB/s, latency: 100 us}\n",
      {});
  Profile profile = made_up_profile();
  profile.tcp = TcpProfile{"this computer",     Seconds{1e-4}, BytesPerSecond{1e9},
                           BytesPerSecond{1e9}, Seconds{0},    Seconds{0}};
  Prediction setting = make_prediction(file.points.front(), &profile);
  ASSERT_EQ(setting.costs.processes.of_role, (std::vector<int>{0, 1, 0}));
  Trace trace;
  trace.workers = 2;
  trace.begin = Instant{} + Seconds{1};
  trace.end = Instant{} + Seconds{2};
  trace.spans = {copy(1, 2, 4e8, Seconds{1.2}, Seconds{1.8}),   // a push: inside
                 copy(2, 1, 2e8, Seconds{1.9}, Seconds{2.1}),   // a fetch: half of it inside
                 copy(0, 2, 9e8, Seconds{1.0}, Seconds{1.9})};  // within process 0
  std::vector<std::string> links;
  for (const SharedResource& one : busy_shares(trace, setting)) {
    if (one.kind != SharedResource::Kind::link || one.name.find("process") == std::string::npos)
      continue;
    links.push_back(one.name + " " + std::to_string(one.busy));
  }
  EXPECT_THAT(links, ElementsAre("the link of process 0, receiving 0.400000",
                                 "the link of process 1, sending 0.400000",
                                 "the link of process 0, sending 0.100000",
                                 "the link of process 1, receiving 0.100000"));
}

// Workers 0 and 1 push to the server on the host; worker 1 also fetches from it.
TEST(BusyShares, SaysWhichLinksOneWorkerUses) {
  const ExperimentFile file = star({.gpus = 2,
                                    .rest = "workers: 2\naggregation: {kind: parameter-server, "
                                            "placement: cpu}\n"});
  const Prediction setting = make_prediction(file.points.front(), nullptr);
  Trace trace;
  trace.workers = 2;
  trace.end = Instant{} + Seconds{1};
  trace.spans = {copy(0, 2, 1e8, Seconds{0}, Seconds{0.4}),
                 copy(1, 2, 1e8, Seconds{0.4}, Seconds{0.8}),
                 copy(2, 1, 1e8, Seconds{0.8}, Seconds{1})};
  std::map<std::string, bool> of_one_worker;
  for (const SharedResource& one : busy_shares(trace, setting)) {
    if (one.kind == SharedResource::Kind::link) of_one_worker[one.name] = one.of_one_worker;
  }
  EXPECT_EQ(of_one_worker, (std::map<std::string, bool>{{"the link gpu0->switch", true},
                                                        {"the link gpu1->switch", true},
                                                        {"the link switch->cpu0", false},
                                                        {"the link cpu0->switch", true},
                                                        {"the link switch->gpu1", true}}));
}

/// The busy share of a thread that launches the kernels of 16 workers on two computers, each of
/// which computes all of the time, in layers of 10 ms and with launches of 1 ms.
SharedResource launching(const std::string& dispatchers) {
  const ExperimentFile file = load_experiment_text(
      "p.yaml",
      "name: p\nworkers: 16\nmachine: {of: dgx1-p100, count: 2, network: infiniband-edr}\n"
      "model: {kind: synthetic, compute: 20 ms}\naggregation: {kind: allreduce}\n"
      "software: {dispatch: 1 ms, dispatchers: " +
          dispatchers + "}\n",
      {});
  const Prediction setting = make_prediction(file.points.front(), nullptr);
  Trace trace;
  trace.workers = 16;
  trace.end = Instant{} + Seconds{0.1};
  for (RoleId worker = 0; worker < 16; ++worker) {
    Span span;
    span.kind = SpanKind::compute;
    span.stream = {worker, StreamKind::compute};
    span.work = {worker, 0};
    span.layers = {Pass::forward, 0, 1};
    span.end = trace.end;
    trace.spans.push_back(span);
  }
  for (const SharedResource& one : busy_shares(trace, setting)) {
    if (one.kind == SharedResource::Kind::launches) return one;
  }
  return {};
}

TEST(BusyShares, HasAThreadThatLaunchesForEachComputerOrGpu) {
  const SharedResource of_computer = launching("computer"), of_gpu = launching("gpu");
  EXPECT_EQ(of_computer.name, "the thread that launches the kernels of a computer");
  EXPECT_NEAR(of_computer.busy, 8 * 0.001 / 0.1, 1e-9);
  EXPECT_FALSE(of_computer.of_one_worker);
  EXPECT_EQ(of_gpu.name, "the thread that launches a GPU's kernels");
  EXPECT_NEAR(of_gpu.busy, 0.001 / 0.1, 1e-9);
  EXPECT_TRUE(of_gpu.of_one_worker);
}

}  // namespace
}  // namespace paceline
