// SPDX-License-Identifier: MIT
/// \file
/// The memory of a GPU that a point needs: exactly the buffers that the roles on it declare, and
/// the activations of its workers.
#pragma once
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Peak memory of the GPU that needs the most.
Bytes memory_of(const ExperimentPoint& point);

}  // namespace paceline
