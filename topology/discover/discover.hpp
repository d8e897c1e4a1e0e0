// SPDX-License-Identifier: MIT
/// \file
/// The graph of this computer. The tree of PCIe devices comes from hwloc, or from /sys where hwloc
/// is not installed or sees less; /sys also says how fast links can be, which idle cards hide; NVML
/// says which GPUs there are, their NVLinks and who reaches whom. hwloc and NVML are opened at run
/// time.
#pragma once
#include <filesystem>

#include "topology/import/assemble.hpp"

namespace paceline {

/// What this computer is, in a machine file that may have no GPU. Its notes say which source gave
/// what. `root` is where /sys stands.
ImportedMachine discover_machine(const std::filesystem::path& root = "/",
                                 const Assumptions& assumptions = {});

}  // namespace paceline
