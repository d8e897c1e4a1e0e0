// SPDX-License-Identifier: MIT
/// \file
/// The aggregation of a point: its written keys, and for the others what the software stack does.
#pragma once
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Needs the point's tree, software and machine.
Choice<Aggregation> usual_aggregation(const ExperimentPoint& point);

}  // namespace paceline
