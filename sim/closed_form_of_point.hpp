// SPDX-License-Identifier: MIT
/// \file
/// The theoretical values of a point.
#pragma once
#include "sim/costs/prediction.hpp"

namespace paceline {

/// The theoretical values of the point if only compute and delays cost time. Columns are blank if
/// no closed form holds.
Measurement theory_of(const Prediction& prediction);

}  // namespace paceline
