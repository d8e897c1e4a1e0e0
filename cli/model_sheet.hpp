// SPDX-License-Identifier: MIT
/// \file
/// The sheet of a network for `paceline list resnet50`.
#pragma once
#include "cli/listed_kinds.hpp"

namespace paceline {

/// The layers by kind, parameters, FLOPs and memory of the network of a preset or a file.
FactSheet model_sheet(const ListedThing& thing);

}  // namespace paceline
