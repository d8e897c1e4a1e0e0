// SPDX-License-Identifier: MIT
/// \file
/// The GPU of a worker for the cost model: a whole card or, with `split: green`, a group of a
/// card's multiprocessors, and the resources that the groups share.
#pragma once
#include <optional>

#include "sim/costs/costs.hpp"
#include "topology/gpu.hpp"
#include "training/experiment/experiment.hpp"

namespace paceline {

struct CardDivision {
  GpuSpec worker;                    ///< computes a worker's layers
  std::optional<CardShares> shares;  ///< empty: the card is not divided
};

/// Divides `card` as the experiment's `devices` say. Where it is not known how the card can be
/// divided (`ideal`; a card without a preset), a group is as fast as the whole card.
CardDivision divide_card(const Experiment& experiment, const GpuSpec& card);

/// Fills in the memory traffic of each layer, for the layers' times in `costs`. The traffic of a
/// layer without a time counts with the next layer: kernels that compute several layers together
/// are timed at the last one.
void count_traffic(Costs& costs, const Experiment& experiment, const Network& network);

}  // namespace paceline
