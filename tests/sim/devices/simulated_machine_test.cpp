// SPDX-License-Identifier: MIT
// Commands on the simulated clock, against hand computation.
#include "sim/devices/simulated_machine.hpp"

#include <gmock/gmock.h>

#include "experiments/yaml.hpp"
#include "tests/sim/devices/layer_parts.hpp"
#include "training/strategies/all_reduce.hpp"

namespace paceline {
namespace {

/// GPUs on one switch, 10 GB/s and 1 us a link.
Machine star(int gpus) {
  std::string text = "gpus: [{model: p100-sxm2, count: " + std::to_string(gpus) + "}]\n";
  text += "host: {cores: 1, memory_bandwidth: 100 GB/s}\n";
  text += "vertices: [{kind: network-switch, names: [switch]}]\n";
  text += "link_types: {port: {kind: ethernet, bandwidth: 10 GB/s, latency: 1 us, source: test}}\n";
  text += "links: [{type: port, from: switch, to: [cpu0";
  for (int gpu = 0; gpu < gpus; ++gpu) text += ", gpu" + std::to_string(gpu);
  return load_machine(parse_yaml("star", text + "]}]\n"));
}

/// Four layers of 10 ms forward and 20 ms backward.
Costs four_layers() {
  Costs costs;
  costs.forward.assign(4, Seconds{0.01});
  costs.backward.assign(4, Seconds{0.02});
  return costs;
}

using Program = std::function<Task<>(Backend&)>;

/// Runs `programs` as roles 0, 1, ... on GPUs 0, 1, ...; returns the time at the end.
double run(const Machine& machine, const Costs& costs, const std::vector<Program>& programs) {
  std::vector<int> places;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    places.push_back(machine.gpu_vertex(static_cast<int>(i)));
  }
  SimulatedMachine clock(machine, costs, places, static_cast<int>(programs.size()), nullptr);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    clock.start_role(static_cast<RoleId>(i), programs[i](clock));
  }
  clock.run();
  return to_seconds(clock.now().ps).value();
}

BufferRef part(RoleId role, double bytes) {
  return {role, Buffer::gradient, 0, {0, 1, bytes}};
}

std::string failure_of(const Machine& machine, const Costs& costs,
                       const std::vector<Program>& programs) {
  try {
    run(machine, costs, programs);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(SimulatedMachineTest, ADeadlockNamesWhoWaitsForWhat) {
  const Machine machine = star(3);
  const Program ends = [](Backend&) -> Task<> { co_return; };
  const Program receives = [](Backend& backend) -> Task<> { co_await backend.receive(1); };
  const Program expects = [](Backend& backend) -> Task<> {
    const Token arrival = backend.arrival(0);
    co_await backend.finished(2, arrival);
  };
  EXPECT_EQ(failure_of(machine, four_layers(), {ends, receives, expects}),
            "deadlock: 2 of 3 roles are waiting and nothing is in flight (worker 1: receive, "
            "worker 2: an arrival)");
}

TEST(SimulatedMachineTest, ATransferBeyondTheClockIsNoDeadlock) {
  const Machine machine = star(2);
  for (const double bytes : {1e20, 1e300, std::numeric_limits<double>::infinity()}) {
    const Program sender = [bytes](Backend& backend) -> Task<> {
      const Token copied = backend.copy({0, StreamKind::push}, part(0, bytes), part(1, bytes), {});
      co_await backend.finished(0, copied);
    };
    const Program idle = [](Backend&) -> Task<> { co_return; };
    EXPECT_EQ(failure_of(machine, four_layers(), {sender, idle}),
              "the simulated clock ends after 106.7 days, before a transfer of worker 0 ends "
              "(simulate fewer steps or shorter times)");
  }
}

TEST(SimulatedMachineTest, TheDeadStopAtOnceAndTheCancelledAtALayersEnd) {
  const Machine machine = star(1);
  const Costs costs = four_layers();
  for (const bool dies : {false, true}) {
    double ended = 0;
    const Program program = [&](Backend& backend) -> Task<> {
      const Token computed =
          backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 4}, {0, 0});
      const Token later = backend.delay({0, StreamKind::input}, Seconds{0.014}, {});
      co_await backend.finished(0, later);
      dies ? backend.kill({0, 0}) : backend.cancel({0, 0});
      co_await backend.finished(0, computed);
      ended = to_seconds(backend.now().ps).value();
    };
    run(machine, costs, {program});
    EXPECT_DOUBLE_EQ(ended, dies ? 0.014 : 0.020);
  }
}

// Cancelled at 14 ms it would stop at the layer's end, at 20 ms; the worker dies at 16 ms.
TEST(SimulatedMachineTest, TheCancelledWhoDieReportOnlyLayersThatRan) {
  const Machine machine = star(1);
  const Costs costs = four_layers();
  const Program program = [](Backend& backend) -> Task<> {
    const Stream input{0, StreamKind::input};
    const Token computed = backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 4}, {0, 0});
    co_await backend.finished(0, backend.delay(input, Seconds{0.014}, {}));
    backend.cancel({0, 0});
    co_await backend.finished(0, backend.delay(input, Seconds{0.002}, {}));
    backend.kill({0, 0});
    co_await backend.finished(0, computed);
  };
  LayerParts layers;
  SimulatedMachine clock(machine, costs, {machine.gpu_vertex(0)}, 1, &layers);
  clock.start_role(0, program(clock));
  clock.run();
  ASSERT_EQ(layers.parts.size(), 2U);
  EXPECT_EQ(layers.parts[0].layer, 0);
  EXPECT_NEAR(layers.parts[0].end_s, 0.010, 1e-9);
  EXPECT_EQ(layers.parts[1].layer, 1);
  EXPECT_NEAR(layers.parts[1].end_s, 0.016, 1e-9);
}

TEST(SimulatedMachineTest, ServersShareTheMemoryOfTheHost) {
  const Machine machine = star(1);
  Costs costs = four_layers();
  costs.server_reduce = 1e-8;  // 100 MB in a second
  const auto time_of = [&](double at_once, int servers) {
    costs.servers_at_once = at_once;
    std::vector<int> places{machine.gpu_vertex(0)};
    for (int i = 0; i < servers; ++i) places.push_back(machine.host_vertex(0));
    SimulatedMachine clock(machine, costs, places, 1, nullptr);
    const auto server = [&](Backend& backend, RoleId me) -> Task<> {
      const Token summed =
          backend.reduce({me, StreamKind::compute}, part(me, 100e6), part(me, 100e6));
      co_await backend.finished(me, summed);
    };
    for (RoleId role = 1; role <= servers; ++role) clock.start_role(role, server(clock, role));
    clock.run();
    return to_seconds(clock.now().ps).value();
  };
  EXPECT_DOUBLE_EQ(time_of(0, 4), 1);
  EXPECT_DOUBLE_EQ(time_of(1, 1), 1);
  EXPECT_DOUBLE_EQ(time_of(1, 4), 4);
  EXPECT_DOUBLE_EQ(time_of(2.5, 2), 1);
  EXPECT_DOUBLE_EQ(time_of(2.5, 5), 2);
}

TEST(SimulatedMachineTest, ACopyTakesLatencyAndSizeOverBandwidth) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  double arrived = 0;
  const Program sender = [&](Backend& backend) -> Task<> {
    const Token copied = backend.copy({0, StreamKind::push}, part(0, 10e6), part(1, 10e6), {});
    co_await backend.finished(0, copied);
    arrived = to_seconds(backend.now().ps).value();
  };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  run(machine, costs, {sender, idle});
  EXPECT_NEAR(arrived, 2e-6 + 10e6 / 10e9, 1e-12);
}

TEST(SimulatedMachineTest, TwoCopiesIntoOneLinkHaveHalfOfItEach) {
  const Machine machine = star(3);
  const Costs costs = four_layers();
  const auto sender = [](RoleId me) -> Program {
    return [me](Backend& backend) -> Task<> {
      const Token copied = backend.copy({me, StreamKind::push}, part(me, 10e6), part(2, 10e6), {});
      co_await backend.finished(me, copied);
    };
  };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_NEAR(run(machine, costs, {sender(0), sender(1), idle}), 2e-6 + 2 * 10e6 / 10e9, 1e-12);
}

TEST(SimulatedMachineTest, StreamsOverlapAndOneStreamDoesNot) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  // forward 40 ms; a copy of 20 ms goes on beside it, a second one after the first
  const Program busy = [](Backend& backend) -> Task<> {
    const Token computed = backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 4}, {0, 0});
    backend.copy({0, StreamKind::push}, part(0, 200e6), part(1, 200e6), {});
    const Token second = backend.copy({0, StreamKind::push}, part(0, 300e6), part(1, 300e6), {});
    co_await backend.finished(0, computed);
    co_await backend.finished(0, second);
  };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_NEAR(run(machine, costs, {busy, idle}), 0.02 + 0.03 + 4e-6, 1e-12);
}

TEST(SimulatedMachineTest, OneCopyEngineCarriesOneDirectionAtATime) {
  const Machine machine = star(2);
  const Program both = [](Backend& backend) -> Task<> {
    const Token pushed = backend.copy({0, StreamKind::push}, part(0, 200e6), part(1, 200e6), {});
    const Token fetched = backend.copy({0, StreamKind::fetch}, part(1, 100e6), part(0, 100e6), {});
    co_await backend.finished(0, pushed);
    co_await backend.finished(0, fetched);
  };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  Costs costs = four_layers();
  EXPECT_NEAR(run(machine, costs, {both, idle}), 0.02 + 2e-6, 1e-12);
  costs.one_copy_engine = true;
  EXPECT_NEAR(run(machine, costs, {both, idle}), 0.03 + 4e-6, 1e-12);
}

TEST(SimulatedMachineTest, CancelledArithmeticStopsAtTheNextLayer) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  double stopped = 0;
  const Program victim = [&](Backend& backend) -> Task<> {
    const Token work = backend.compute({0, StreamKind::compute}, {Pass::backward, 0, 4}, {0, 0});
    const Message message = co_await backend.receive(0);
    EXPECT_EQ(message.kind, Message::Kind::stop);
    backend.cancel({0, 0});
    co_await backend.finished(0, work);
    stopped = to_seconds(backend.now().ps).value();
  };
  const Program killer = [](Backend& backend) -> Task<> {
    const Token slept = backend.delay({1, StreamKind::compute}, Seconds{0.025}, {1, 0});
    Message message;
    message.kind = Message::Kind::stop;
    backend.send(0, message, slept);
    co_await backend.finished(1, slept);
  };
  run(machine, costs, {victim, killer});
  EXPECT_NEAR(stopped, 0.04, 1e-12);  // layers end at 20, 40, 60, 80 ms
}

TEST(SimulatedMachineTest, ACancelledDelayEndsAtOnceAndItsMessagesAreNotSent) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  const Program victim = [&](Backend& backend) -> Task<> {
    const Token slept = backend.delay({0, StreamKind::compute}, Seconds{5}, {0, 0});
    Message late;
    late.kind = Message::Kind::gradient;
    backend.send(1, late, slept, {0, 0});
    const Message message = co_await backend.receive(0);
    EXPECT_EQ(message.kind, Message::Kind::stop);
    backend.cancel({0, 0});
    co_await backend.finished(0, slept);
    Message done;
    done.kind = Message::Kind::done;
    backend.send(1, done);
  };
  const Program killer = [](Backend& backend) -> Task<> {
    const Token slept = backend.delay({1, StreamKind::compute}, Seconds{0.5}, {1, 0});
    Message message;
    message.kind = Message::Kind::stop;
    backend.send(0, message, slept);
    const Message answer = co_await backend.receive(1);
    EXPECT_EQ(answer.kind, Message::Kind::done);
  };
  EXPECT_NEAR(run(machine, costs, {victim, killer}), 0.5, 1e-12);
}

class RingTest : public testing::TestWithParam<int> {};

TEST_P(RingTest, TakesTheClosedForm) {
  const int ranks = GetParam();
  const Machine machine = star(ranks);
  const Costs costs = four_layers();
  const Choice<AllReduce> ring{"ring"};
  Plan plan;
  plan.workers = ranks;
  plan.cut.buckets.push_back({0, 4, {0, 1000, 4e6}});
  std::vector<Program> programs;
  for (RoleId rank = 0; rank < ranks; ++rank) {
    programs.push_back([&plan, &ring, rank](Backend& backend) -> Task<> {
      const Task<Reduced> exchange = ring->reduce(plan, backend, rank, plan.whole(), Token{});
      const Reduced reduced = co_await exchange;
      co_await backend.finished(rank, reduced.summed);
    });
  }
  // 2(P-1) steps of n/P bytes over two links of 1 us each
  const double expected = 2.0 * (ranks - 1) * (4e6 / ranks / 10e9 + 2e-6);
  EXPECT_NEAR(run(machine, costs, programs), expected, 1e-9 * ranks);
}
INSTANTIATE_TEST_SUITE_P(Ranks, RingTest, testing::Values(1, 2, 3, 4, 5, 8, 16, 17));

TEST(SimulatedMachineTest, RolesThatWaitForEachOtherAreAnError) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  const Program waits = [](Backend& backend) -> Task<> { co_await backend.receive(0); };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_THROW(run(machine, costs, {waits, idle}), std::runtime_error);
}

}  // namespace
}  // namespace paceline
