// SPDX-License-Identifier: MIT
// A command that takes no time is no operation; what follows it waits for what it waited for.
#include <gtest/gtest.h>

#include "tests/training/strategies/shuffled_clock.hpp"

namespace paceline {
namespace {

TEST(FreeCommandTest, TheNextOfItsStreamWaitsForAnotherStreamsOperation) {
  const Slice whole{0, 4, 16};
  BufferPlan plan;
  plan.roles.push_back({whole, {{Buffer::weights}, {Buffer::gradient}, {Buffer::landing}}});
  plan.model = {0};
  const Choice<Optimizer> optimizer{"sgd"};
  const BufferRef weights{0, Buffer::weights}, gradient{0, Buffer::gradient};
  const BufferRef landing{0, Buffer::landing};
  for (const DeviceOrder order : {DeviceOrder::nothing, DeviceOrder::each_stream}) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      HostArrays store;
      Buffers buffers(plan, UpdateRule{optimizer.part().get(), 1, 1, 1, {}}, {1, 2, 3, 4}, 0,
                      store);
      ShuffledClock clock(1, buffers, seed, order);
      const auto program = [&](Backend& backend) -> Task<> {
        const Token made = backend.assign({0, StreamKind::compute}, {gradient, weights, whole});
        const Stream push{0, StreamKind::push};
        backend.delay(push, Seconds{0}, {}, made);
        const Token copied = backend.copy(push, {gradient, landing, whole});
        co_await backend.finished(0, copied);
      };
      clock.start_role(0, program(clock));
      clock.run();
      EXPECT_EQ(buffers.open(landing, whole)[3], 4) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace paceline
