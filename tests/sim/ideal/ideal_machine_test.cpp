// SPDX-License-Identifier: MIT
// The ideal machine alone, with programs of these tests.
#include "sim/ideal/ideal_machine.hpp"

#include <gtest/gtest.h>

#include "topology/machine.hpp"

namespace paceline {
namespace {

constexpr int kRounds = 3;

Seconds delay_of(RoleId me) {
  return Seconds{1e-3 * (1 + me % 997)};
}

Task<> sleeper(Backend& backend, RoleId me, int& rounds) {
  for (std::int64_t round = 0; round < kRounds; ++round) {
    const Token end = backend.delay({me, StreamKind::compute}, delay_of(me), {me, round}, {});
    co_await backend.finished(me, end);
    ++rounds;
  }
}

/// The machine reads ahead of this number of events: of small programs it must read no more than
/// they have (the address sanitizer would see it).
TEST(IdealMachine, ManySmallProgramsRunToTheirEnds) {
  constexpr int kRoles = 20'000;
  static_assert(kRoles > EventQueue::kMostOnHeap);
  const Machine machine = ideal(kRoles);
  Costs costs;
  costs.forward = costs.backward = {Seconds{0}};
  const std::vector<int> vertices(kRoles, 0);
  IdealMachine clock(machine, costs, vertices, kRoles, nullptr);
  int rounds = 0;
  for (RoleId role = 0; role < kRoles; ++role) clock.start_role(role, sleeper(clock, role, rounds));
  clock.run();
  EXPECT_EQ(rounds, kRounds * kRoles);
  EXPECT_NEAR(to_seconds(clock.now().ps).value(), kRounds * 0.997, 1e-9);
}

}  // namespace
}  // namespace paceline
