// SPDX-License-Identifier: MIT
/// \file
/// Jobs beside each other on a machine, each of which disturbs a few copies of the others.
#pragma once
#include <cstdint>
#include <span>

#include "sim/costs/prediction.hpp"
#include "sim/devices/simulated_machine.hpp"

namespace paceline {

struct JobOnMachine {
  const Prediction* prediction;
  const Plan* plan;
  SimulatedMachine* machine;
};

/// Has each job in which workers do nothing but all-reduce over links of their own work its
/// exchanges out ahead, but for the copies over links that another job may use. Returns the
/// number of workers with copies that are worked out ahead.
int work_calls_ahead(std::span<const JobOnMachine> jobs, std::uint32_t repeat);

}  // namespace paceline
