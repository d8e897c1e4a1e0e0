// SPDX-License-Identifier: MIT
/// \file
/// The costs of mini-batches of sequences of unequal length: the cost model at each length.
#pragma once
#include "sim/costs/prediction.hpp"

namespace paceline {

/// Sets the costs of each shape of a mini-batch on `gpu`, if the point has lengths: the estimate of
/// the network at that length, times what each layer takes in `costs` over its estimate at the
/// network's own length. Requires that the costs of layers are set.
void cost_of_lengths(Prediction& prediction, const GpuSpec& gpu);

/// The same on this computer: a layer takes as much less than at the network's own length as it
/// takes, for an item, in `measured`, linear between two lengths measured.
void cost_of_lengths(Prediction& prediction, const NetworkProfile& measured);

}  // namespace paceline
