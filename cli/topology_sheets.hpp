// SPDX-License-Identifier: MIT
/// \file
/// The sheets of machines, GPUs, links, software stacks and inputs for `paceline list`.
#pragma once
#include "cli/listed_kinds.hpp"

namespace paceline {

// Each function requires a preset's name; the first also accepts `this` and `ideal`.
FactSheet machine_sheet(const ListedThing& thing);
FactSheet gpu_sheet(const ListedThing& thing);
FactSheet link_sheet(const ListedThing& thing);
FactSheet software_sheet(const ListedThing& thing);
FactSheet nccl_sheet(const ListedThing& thing);
FactSheet input_preset_sheet(const ListedThing& thing);

}  // namespace paceline
