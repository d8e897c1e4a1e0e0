// SPDX-License-Identifier: MIT
/// \file
/// What the layers of a point take on the GPUs of its workers, and where that comes from.
#pragma once
#include <vector>

#include "training/cost/layer_cost.hpp"
#include "training/setting.hpp"

namespace paceline {

/// The times of the layers on `gpu`; says in `setting` where they come from. A row of the
/// experiment's own table comes before what was measured here, which comes before a row that ships
/// with the program. `measured`, of `profile`, may be null.
std::vector<LayerTime> times_of_layers(Setting& setting, const GpuSpec& gpu,
                                       const NetworkProfile* measured, const Profile* profile);

/// Where GPUs differ, each worker's arithmetic takes longer or shorter than the first one's by the
/// ratio of their rooflines.
void slow_by_gpu(Setting& setting);

}  // namespace paceline
