// SPDX-License-Identifier: MIT
// Copies over links, against hand computation.
#include <gmock/gmock.h>

#include "tests/sim/devices/star.hpp"

namespace paceline {
namespace {

TEST(CopyEngineTest, ACopyTakesLatencyAndSizeOverBandwidth) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  double arrived = 0;
  const Program sender = [&](Backend& backend) -> Task<> {
    const Token copied = backend.copy({0, StreamKind::push}, copy_of(0, 1, 10e6));
    co_await backend.finished(0, copied);
    arrived = to_seconds(backend.now().ps).value();
  };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  run(machine, costs, {sender, idle});
  EXPECT_NEAR(arrived, 2e-6 + 10e6 / 10e9, 1e-12);
}

TEST(CopyEngineTest, TwoCopiesIntoOneLinkHaveHalfOfItEach) {
  const Machine machine = star(3);
  const Costs costs = four_layers();
  const auto sender = [](RoleId me) -> Program {
    return [me](Backend& backend) -> Task<> {
      const Token copied = backend.copy({me, StreamKind::push}, copy_of(me, 2, 10e6));
      co_await backend.finished(me, copied);
    };
  };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_NEAR(run(machine, costs, {sender(0), sender(1), idle}), 2e-6 + 2 * 10e6 / 10e9, 1e-12);
}

TEST(CopyEngineTest, StreamsOverlapAndOneStreamDoesNot) {
  const Machine machine = star(2);
  const Costs costs = four_layers();
  // forward 40 ms; a copy of 20 ms goes on beside it, a second one after the first
  const Program busy = [](Backend& backend) -> Task<> {
    const Token computed = backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 4}, {0, 0});
    backend.copy({0, StreamKind::push}, copy_of(0, 1, 200e6));
    const Token second = backend.copy({0, StreamKind::push}, copy_of(0, 1, 300e6));
    co_await backend.finished(0, computed);
    co_await backend.finished(0, second);
  };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  EXPECT_NEAR(run(machine, costs, {busy, idle}), 0.02 + 0.03 + 4e-6, 1e-12);
}

TEST(CopyEngineTest, OneCopyEngineCarriesOneDirectionAtATime) {
  const Machine machine = star(2);
  const Program both = [](Backend& backend) -> Task<> {
    const Token pushed = backend.copy({0, StreamKind::push}, copy_of(0, 1, 200e6));
    const Token fetched = backend.copy({0, StreamKind::fetch}, copy_of(1, 0, 100e6));
    co_await backend.finished(0, pushed);
    co_await backend.finished(0, fetched);
  };
  const Program idle = [](Backend&) -> Task<> { co_return; };
  Costs costs = four_layers();
  EXPECT_NEAR(run(machine, costs, {both, idle}), 0.02 + 2e-6, 1e-12);
  costs.one_copy_engine = true;
  EXPECT_NEAR(run(machine, costs, {both, idle}), 0.03 + 4e-6, 1e-12);
}

}  // namespace
}  // namespace paceline
