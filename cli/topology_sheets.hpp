// SPDX-License-Identifier: MIT
/// \file
/// What `paceline list dgx1-p100` and the like show of machines, GPUs, links and software stacks.
#pragma once
#include "cli/listed_kinds.hpp"

namespace paceline {

// Each requires a preset's name; the first also takes `this` and `ideal`.
FactSheet machine_sheet(const ListedThing& thing);
FactSheet gpu_sheet(const ListedThing& thing);
FactSheet link_sheet(const ListedThing& thing);
FactSheet software_sheet(const ListedThing& thing);

}  // namespace paceline
