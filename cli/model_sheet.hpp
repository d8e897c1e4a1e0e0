// SPDX-License-Identifier: MIT
/// \file
/// The sheet of a network for `paceline list resnet50`.
#pragma once
#include "cli/listed_kinds.hpp"

namespace paceline {

/// The network's layers by kind, parameters, FLOPs and memory. Requires a preset's name.
FactSheet model_sheet(const ListedThing& thing);

}  // namespace paceline
