// SPDX-License-Identifier: MIT
#include "sim/devices/time_shared_card.hpp"

#include <algorithm>
#include <vector>

namespace paceline {

ResourceId add_turns(FluidNetwork& network, const std::vector<double>& turns) {
  if (turns.empty()) return network.add_resource(1);
  const double most = *std::max_element(turns.begin(), turns.end());
  std::vector<double> shares = turns;
  for (double& share : shares) share /= most;
  return network.add_resource(most, std::move(shares));
}

TimeSharedCard::TimeSharedCard(const DeviceContext& context, DeviceListener& machine,
                               HostCores& cores)
    : SharedProcessor(context, machine, cores) {
  const Use use{add_turns(network_, costs_.turns), 1.0};
  route_ = network_.add_route({&use, 1}, 1.0);
}

}  // namespace paceline
