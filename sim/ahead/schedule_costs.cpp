// SPDX-License-Identifier: MIT
#include "sim/ahead/schedule_costs.hpp"

#include "sim/network/flow_time.hpp"

namespace paceline {

std::int64_t ScheduleCosts::flow_ps(const ScheduleLink& link, double bytes) {
  return paceline::flow_ps(bytes * link.per_byte, link.rate);
}

std::int64_t ScheduleCosts::sum_ps(std::size_t rank, double bytes) const {
  return round_ps(bytes * sum[rank] * 1e12);
}

}  // namespace paceline
