// SPDX-License-Identifier: MIT
/// \file
/// What a worker's GPU is, for the cost model: a whole one, or with `split: green` a group of a
/// card's multiprocessors, and then what the groups share.
#pragma once
#include <optional>

#include "topology/gpu.hpp"
#include "training/costs.hpp"
#include "training/experiment.hpp"

namespace paceline {

struct CardDivision {
  GpuSpec worker;                    ///< what computes a worker's layers
  std::optional<CardShares> shares;  ///< nothing: the card is not divided
};

/// Divides `card` as the experiment's `devices` say. Where nothing is known of how it can be
/// divided
/// (`ideal`; a card that no preset describes), a group is as fast as all of it.
CardDivision divide_card(const Experiment& experiment, const GpuSpec& card);

/// Fills in what each layer moves to and from memory, for the layers' times in `costs`. What a
/// layer without a time moves counts with the next one's: kernels that do several layers together
/// are timed at the last.
void count_traffic(Costs& costs, const Experiment& experiment, const Network& network);

/// "" or why the card cannot have the virtual GPUs that `devices` asks for.
std::string indivisible(const Devices& devices, const GpuSpec& card);

}  // namespace paceline
