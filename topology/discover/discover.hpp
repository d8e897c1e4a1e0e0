// SPDX-License-Identifier: MIT
/// \file
/// Discovers the hardware of this computer. The PCIe tree comes from hwloc, or from /sys if hwloc
/// is missing or shows fewer devices. /sys also gives the maximum link rates, since idle cards run
/// their links slower. NVML gives the list of GPUs, their NVLinks and peer access. hwloc and NVML
/// are opened at run time.
#pragma once
#include <filesystem>

#include "topology/import/assemble.hpp"

namespace paceline {

/// The machine file of this computer, which may have no GPU. Its notes name the source of each
/// part. `root` is the folder that contains `sys`; hwloc and NVML are used only if it is "/".
ImportedMachine discover_machine(const std::filesystem::path& root = "/",
                                 const Assumptions& assumptions = {});

}  // namespace paceline
