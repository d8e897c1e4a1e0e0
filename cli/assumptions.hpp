// SPDX-License-Identifier: MIT
/// \file
/// The words of a heading on the software of a point: how gradients become new weights, and what
/// the file does not say and a prediction for its machine depends on.
#pragma once
#include <string>

#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// "parameter-server"; with the algorithm of an all-reduce "allreduce by nccl".
std::string aggregation_in_words(const ExperimentPoint& point);

/// "pytorch, fp32, nccl": the software, the precision and the all-reduce that no key names; ""
/// where the machine is not described, and without a network.
std::string assumed_of(const ExperimentPoint& point);

}  // namespace paceline
