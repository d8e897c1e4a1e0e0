// SPDX-License-Identifier: MIT
// Workers with GPUs of their own, against hand computation.
#include <gmock/gmock.h>

#include "tests/sim/devices/layer_parts.hpp"
#include "tests/sim/devices/star.hpp"

namespace paceline {
namespace {

TEST(OwnGpuTest, TheDeadStopAtOnceAndTheCancelledAtALayersEnd) {
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
TEST(OwnGpuTest, CancelledWorkersThatDieReportOnlyLayersThatRan) {
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

TEST(OwnGpuTest, CancelledArithmeticStopsAtTheNextLayer) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  double stopped = 0;
  const Program victim = [&](Backend& backend) -> Task<> {
    const Token work = backend.compute({0, StreamKind::compute}, {Pass::backward, 0, 4}, {0, 0});
    const Message message = co_await backend.receive(0);
    EXPECT_TRUE(is_stop(message));
    backend.cancel({0, 0});
    co_await backend.finished(0, work);
    stopped = to_seconds(backend.now().ps).value();
  };
  const Program killer = [](Backend& backend) -> Task<> {
    const Token slept = backend.delay({1, StreamKind::compute}, Seconds{0.025}, {1, 0});
    backend.send(0, Words::make(1, Stop{}), slept);
    co_await backend.finished(1, slept);
  };
  run(machine, costs, {victim, killer});
  EXPECT_NEAR(stopped, 0.04, 1e-12);  // layers end at 20, 40, 60, 80 ms
}

// 40 ms of layers; from 10 ms on at half speed.
TEST(OwnGpuTest, LayersGoOnAtTheSpeedThatIsLeft) {
  const Machine machine = star(2);
  Costs costs = four_layers();
  costs.collective.contention = Percent{0.5};
  costs.collective.launch = Seconds{1};  // the library is busy for that long
  costs.collective.step_latency = {};
  double ended = 0;
  const auto rank = [&](RoleId me) {
    return [&ended, me](Backend& backend) -> Task<> {
      const Token layers =
          backend.compute({me, StreamKind::compute}, {Pass::forward, 0, 4}, {me, 0});
      co_await backend.finished(me, backend.delay({me, StreamKind::input}, Seconds{0.01}, {}));
      const Token summed = backend.collective({me, StreamKind::push}, {{0, 1, 8}, 2});
      co_await backend.finished(me, layers);
      if (me == 0) ended = to_seconds(backend.now().ps).value();
      co_await backend.finished(me, summed);
    };
  };
  run(machine, costs, {rank(0), rank(1)});
  EXPECT_DOUBLE_EQ(ended, 0.01 + 0.03 / 0.5);
}

// Forty workers begin together; the layers of thirty have ended when the speed falls.
TEST(OwnGpuTest, TheRestGoesOnInItsOrderWhenMostHaveEnded) {
  constexpr RoleId kWorkers = 40;
  const Machine machine = star(kWorkers);
  Costs costs = four_layers();
  costs.collective.contention = Percent{0.5};
  costs.collective.launch = Seconds{1};
  costs.collective.step_latency = {};
  std::vector<RoleId> ended;
  const auto rank = [&](RoleId me) {
    return [&ended, me](Backend& backend) -> Task<> {
      const std::int32_t layers = me % 4 != 3 ? 1 : 4;  // every fourth is long
      const Token computed =
          backend.compute({me, StreamKind::compute}, {Pass::forward, 0, layers}, {me, 0});
      if (me >= 2) {
        co_await backend.finished(me, computed);
        if (layers == 4) {
          EXPECT_DOUBLE_EQ(to_seconds(backend.now().ps).value(), 0.02 + 0.02 / 0.5);
          ended.push_back(me);
        }
        co_return;
      }
      co_await backend.finished(me, backend.delay({me, StreamKind::input}, Seconds{0.02}, {}));
      co_await backend.finished(me, backend.collective({me, StreamKind::push}, {{0, 1, 8}, 2}));
    };
  };
  std::vector<Program> ranks;
  for (RoleId me = 0; me < kWorkers; ++me) ranks.push_back(rank(me));
  run(machine, costs, ranks);
  EXPECT_THAT(ended, testing::ElementsAre(3, 7, 11, 15, 19, 23, 27, 31, 35, 39));
}

}  // namespace
}  // namespace paceline
