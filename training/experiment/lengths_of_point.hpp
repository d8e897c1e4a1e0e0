// SPDX-License-Identifier: MIT
/// \file
/// The lengths of a point's sequences: of which shapes its mini-batches are.
#pragma once
#include <memory>
#include <string>

#include "training/experiment/experiment_file.hpp"
#include "training/workload/lengths/batch_lengths.hpp"

namespace paceline {

/// "" or why the point cannot have `lengths`. Requires point.experiment.lengths and a network.
std::string unfit_lengths(const ExperimentPoint& point);

/// Null where all items have the network's shape. Requires unfit_lengths(point) == "" elsewhere.
std::shared_ptr<const BatchLengths> batch_lengths_of(const ExperimentPoint& point);

/// The memory of the arrays with which one worker computes mini-batches of every shape on the CPU,
/// about; 0 without lengths.
Bytes arrays_of_shapes(const ExperimentPoint& point);

/// The items of a mini-batch, on average.
double items_of_mini_batch(const ExperimentPoint& point);

}  // namespace paceline
