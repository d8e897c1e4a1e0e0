// SPDX-License-Identifier: MIT
/// \file
/// A machine with everything resolved, as text: equal texts, equal machines. What finished points
/// are found again by.
#pragma once
#include <string>

#include "topology/machine.hpp"

namespace paceline {

std::string canonical_text(const Machine& machine);

}  // namespace paceline
