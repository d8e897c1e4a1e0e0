// SPDX-License-Identifier: MIT
/// \file
/// Makes a machine from a source's inventory of the hardware. Missing data comes from presets of
/// GPUs (gpus/), links (links/) and hosts (hosts/); their sources and the notes then say "assumed".
#pragma once
#include <string>
#include <vector>

#include "topology/import/inventory.hpp"

namespace paceline {

/// Data from the user that take precedence over the source or complete it.
struct Assumptions {
  std::string gpu;         ///< a GPU preset's name or a path to a GPU's file; "": as in the source
  int nvswitch_links = 0;  ///< NVLinks from each GPU to NVSwitches that are missing in the source;
                           ///< 0: none
  std::string node{};      ///< the machine of each computer of a network; "": as in the source
  std::string link{};      ///< the link preset of a network; "": as in the source
};

/// The contents of a machine file.
struct ImportedMachine {
  MachineSpec spec;
  std::vector<std::string> notes;  ///< assumptions, omissions and inferences, one per line
};

/// Throws SpecError if data are missing that the user must give, or if the machine would be too
/// large.
ImportedMachine assemble(Inventory inventory, const Assumptions& assumptions);

}  // namespace paceline
