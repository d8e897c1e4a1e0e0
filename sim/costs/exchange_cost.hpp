// SPDX-License-Identifier: MIT
/// \file
/// The time that a worker's GPU loses to an all-reduce of the machine's own library besides the
/// calls themselves: copies of gradients into buckets, and waits of batch norms.
#pragma once
#include "sim/costs/prediction.hpp"

namespace paceline {

/// Adds it to the backward pass. `gpu`: of a worker.
void cost_of_exchange(Prediction& prediction, const GpuSpec& gpu);

}  // namespace paceline
