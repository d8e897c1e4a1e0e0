// SPDX-License-Identifier: MIT
// Several processes on the simulated clock, against hand computation: a star of links of 1 GB/s,
// 100 us for an empty copy there and back.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/sim/devices/run_on_this_computer.hpp"

namespace paceline {
namespace {

constexpr double kLatency = 100e-6;
constexpr double kBandwidth = 1e9;

Costs costs_of(std::vector<int> processes) {
  Costs costs;
  costs.forward.assign(1, Seconds{0.01});
  costs.backward.assign(1, Seconds{0.01});
  costs.processes.count = 1 + *std::max_element(processes.begin(), processes.end());
  costs.processes.of_role = std::move(processes);
  costs.processes.link = costs.processes.stream = BytesPerSecond{kBandwidth};
  costs.processes.latency = Seconds{kLatency};
  return costs;
}

struct Done {};
using Words = MessageKinds<Done>;

Command::Copy copy_of(RoleId from, RoleId to, double bytes) {
  return {{from, Buffer::gradient}, {to, Buffer::gradient}, {0, 1, bytes}};
}

Program sends(RoleId me, RoleId to, double bytes) {
  return [=](Backend& backend) -> Task<> {
    const Token sent = backend.copy({me, StreamKind::push}, copy_of(me, to, bytes));
    co_await backend.finished(me, sent);
  };
}

Program idles() {
  return [](Backend&) -> Task<> { co_return; };
}

Program fetches(RoleId me, RoleId from, double bytes) {
  return [=](Backend& backend) -> Task<> {
    const Token come = backend.copy({me, StreamKind::fetch}, copy_of(from, me, bytes));
    co_await backend.finished(me, come);
  };
}

TEST(SimulatedProcessesTest, APushTakesOneWayAndItsBytes) {
  EXPECT_NEAR(run_on_this_computer(costs_of({0, 1}), {sends(0, 1, 1e7), idles()}),
              kLatency / 2 + 1e7 / kBandwidth, 1e-9);
  EXPECT_LT(run_on_this_computer(costs_of({0, 0}), {sends(0, 1, 1e7), idles()}), 1e-6);
}

TEST(SimulatedProcessesTest, AFetchBeginsWithARequest) {
  EXPECT_NEAR(run_on_this_computer(costs_of({0, 1}), {fetches(0, 1, 1e7), idles()}),
              kLatency + 1e7 / kBandwidth, 1e-9);
}

TEST(SimulatedProcessesTest, TwoProcessesThatSendToOneShareItsLink) {
  const double alone =
      run_on_this_computer(costs_of({0, 1, 2}), {sends(0, 2, 1e7), idles(), idles()});
  const double both =
      run_on_this_computer(costs_of({0, 1, 2}), {sends(0, 2, 1e7), sends(1, 2, 1e7), idles()});
  EXPECT_NEAR(both - kLatency / 2, 2 * (alone - kLatency / 2), 1e-9);
}

TEST(SimulatedProcessesTest, EachDirectionHasTheWholeLink) {
  const double both = run_on_this_computer(costs_of({0, 1}), {sends(0, 1, 1e7), sends(1, 0, 1e7)});
  EXPECT_NEAR(both, kLatency / 2 + 1e7 / kBandwidth, 1e-9);
}

TEST(SimulatedProcessesTest, AMessageTakesOneWay) {
  const Program writes = [](Backend& backend) -> Task<> {
    backend.send(1, Words::make(0, Done{}));
    co_return;
  };
  double read = 0;
  const Program reads = [&](Backend& backend) -> Task<> {
    co_await backend.receive(1);
    read = to_seconds(backend.now().ps).value();
  };
  run_on_this_computer(costs_of({0, 1}), {writes, reads});
  EXPECT_NEAR(read, kLatency / 2, 1e-12);
  run_on_this_computer(costs_of({0, 0}), {writes, reads});
  EXPECT_EQ(read, 0);
}

TEST(SimulatedProcessesTest, ProcessesShareTheCoresUnlessEachHasItsOwn) {
  const auto computes = [](RoleId me) -> Program {
    return [me](Backend& backend) -> Task<> {
      const Token done = backend.compute({me, StreamKind::compute}, {Pass::forward, 0, 1}, {me, 0});
      co_await backend.finished(me, done);
    };
  };
  Costs costs = costs_of({0, 1});
  costs.cores = 1;
  EXPECT_NEAR(run_on_this_computer(costs, {computes(0), computes(1)}), 0.02, 1e-9);
  costs.processes.own_computers = true;
  EXPECT_NEAR(run_on_this_computer(costs, {computes(0), computes(1)}), 0.01, 1e-9);
}

TEST(SimulatedProcessesTest, TcpTakesProcessorsTimeOfBothEnds) {
  Costs costs = costs_of({0, 1});
  costs.cores = 1;
  costs.processes.send = costs.processes.receive = 1e-9;  // together twice what the link allows
  EXPECT_NEAR(run_on_this_computer(costs, {sends(0, 1, 1e7), idles()}),
              kLatency / 2 + 2 * 1e7 / kBandwidth, 1e-9);
}

}  // namespace
}  // namespace paceline
