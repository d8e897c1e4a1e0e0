// SPDX-License-Identifier: MIT
/// \file
/// The machine's native collective library at a point, as modelled by the simulator.
#pragma once
#include <optional>

#include "sim/costs/prediction.hpp"
#include "sim/nccl/library_call.hpp"

namespace paceline {

/// Nothing unless the point uses the library with at least two workers. `setting` must outlive it.
std::optional<LibraryModel> library_of(const Prediction& setting);

/// The operation of the point's calls.
Operation operation_of(const Prediction& setting);

}  // namespace paceline
