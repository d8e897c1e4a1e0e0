// SPDX-License-Identifier: MIT
/// \file
/// Analytical networks of ASTRA-sim: a list of dimensions, each a ring, a switch or all to all. One
/// dimension is a machine; more are several computers.
#pragma once
#include <string>

#include "topology/import/inventory.hpp"

namespace paceline {

bool is_astra(const std::string& text);
/// Throws SpecError.
Inventory read_astra(const std::string& file, const std::string& text);

}  // namespace paceline
