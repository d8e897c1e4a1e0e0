// SPDX-License-Identifier: MIT
/// \file
/// What `paceline list resnet50` shows of a network.
#pragma once
#include "cli/listed_kinds.hpp"

namespace paceline {

/// Its layers by kind, parameters, FLOPs and memory. Requires a preset's name.
FactSheet model_sheet(const ListedThing& thing);

}  // namespace paceline
