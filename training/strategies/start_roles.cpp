// SPDX-License-Identifier: MIT
#include "training/strategies/start_roles.hpp"

namespace paceline {

void start_roles(const Aggregation& aggregation, const Plan& plan, OpGraph& clock,
                 std::optional<int> process) {
  for (RoleId role = 0; role < plan.programs(); ++role) {
    if (process && plan.process_of(role) != *process) continue;
    clock.start_role(role, aggregation.program(plan, clock, role));
  }
}

}  // namespace paceline
