// SPDX-License-Identifier: MIT
// Servers on the CPUs of a host beside GPUs, against hand computation.
#include <gmock/gmock.h>

#include "tests/sim/devices/star.hpp"

namespace paceline {
namespace {

TEST(ServerMemoryTest, ServersShareTheMemoryOfTheHost) {
  const Machine machine = star(1);
  Costs costs = four_layers();
  costs.server_reduce = 1e-8;  // 100 MB in a second
  const auto time_of = [&](double at_once, int servers) {
    costs.servers_at_once = at_once;
    std::vector<int> vertices{machine.gpu_vertex(0)};
    for (int i = 0; i < servers; ++i) vertices.push_back(machine.host_vertex(0));
    SimulatedMachine clock(machine, costs, vertices, 1, nullptr);
    const auto server = [&](Backend& backend, RoleId me) -> Task<> {
      const Token summed =
          backend.reduce({me, StreamKind::compute},
                         {{me, Buffer::gradient}, {me, Buffer::landing}, {0, 1, 100e6}});
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

}  // namespace
}  // namespace paceline
