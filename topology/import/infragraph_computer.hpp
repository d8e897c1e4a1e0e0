// SPDX-License-Identifier: MIT
/// \file
/// A server's device of an InfraGraph file as the hardware of a computer.
#pragma once
#include "topology/import/infragraph_parts.hpp"

namespace paceline::infra {

/// Throws SpecError.
Inventory computer_of(const Device& server, const Infrastructure& all);

}  // namespace paceline::infra
