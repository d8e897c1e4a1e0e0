// SPDX-License-Identifier: MIT
/// \file
/// The keys of a machine file as a person would write it: without those at their defaults, and of a
/// cluster without those of a computer.
#pragma once
#include "topology/machine_spec.hpp"

namespace paceline {

Tree machine_keys(const MachineSpec& spec);

}  // namespace paceline
