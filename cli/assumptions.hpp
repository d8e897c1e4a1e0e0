// SPDX-License-Identifier: MIT
/// \file
/// The words of a heading on the software of a point: how gradients become new weights, and what
/// the file does not say and a prediction for its machine depends on.
#pragma once
#include <string>
#include <vector>

#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// "parameter-server"; with the algorithm of an all-reduce "allreduce by nccl".
std::string aggregation_in_words(const ExperimentPoint& point);

/// "pytorch, fp32, nccl": the software, the precision and the all-reduce that no key names; ""
/// where the machine is not described, and without a network.
std::string assumed_of(const ExperimentPoint& point);

/// The input as the file writes it, "synthetic" or "{kind: pipeline, ...}"; "not described" where
/// it is missing.
std::string input_in_words(const ExperimentPoint& point);

/// The inputs of a file's points, each once: "not described; synthetic".
std::string inputs_in_words(const ExperimentFile& file);

/// The finding that predictions are upper bounds, since their points mean a data set and do not say
/// how its items arrive; "" if none does. `points` are those predicted, without repeats.
std::string undescribed_input(const std::vector<const ExperimentPoint*>& points);

}  // namespace paceline
