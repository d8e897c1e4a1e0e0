// SPDX-License-Identifier: MIT
/// \file
/// The times of a point's layers on the GPUs of its workers, and the source of these times.
#pragma once
#include <vector>

#include "sim/costs/layer_cost.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {

/// The times of the layers on `gpu`; records their source in `prediction`. A row of the
/// experiment's own table takes precedence over measurements on this computer, and these over a row
/// that ships with the program. `measured`, of `profile`, may be null.
std::vector<LayerTime> times_of_layers(Prediction& prediction, const GpuSpec& gpu,
                                       const NetworkProfile* measured, const Profile* profile);

/// The times of the layers in a validation pass; empty where the point has none. They are those of
/// the forward pass at its batch: measured by `profile` (which may be null), or estimated and
/// scaled by the same factor as the estimate of a mini-batch is in `prediction`'s costs.
std::vector<Seconds> validation_times(const Prediction& prediction, const GpuSpec& gpu,
                                      const Profile* profile);

/// Where GPUs differ, each worker's arithmetic is slower or faster than the first worker's by the
/// ratio of their estimates.
void slow_by_gpu(Prediction& prediction);

/// Dies of one board share its power: workers on them are slower than one alone.
void slow_by_board(Prediction& prediction);

/// GPUs of one model differ: P workers have the P quantiles of a normal distribution, in an order
/// that puts neither the fastest nor the slowest on one computer. One worker has the median.
void slow_by_variation(Prediction& prediction);

}  // namespace paceline
