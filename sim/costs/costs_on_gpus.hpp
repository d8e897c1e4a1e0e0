// SPDX-License-Identifier: MIT
/// \file
/// The costs of a point's work on a machine's GPUs: from the GPUs' files, from published rows and,
/// where the GPUs are this computer's, from the measurements of `calibrate`.
#pragma once
#include "sim/costs/prediction.hpp"

namespace paceline {

/// Fills in the costs of a prediction on a machine with GPUs. `profile`: of this computer if it is
/// the machine, else null.
void cost_on_gpus(Prediction& prediction, const Profile* profile);

}  // namespace paceline
