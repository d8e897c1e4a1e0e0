// SPDX-License-Identifier: MIT
/// \file
/// Makes a machine of what a source says of its hardware. What the source does not say comes from
/// presets of GPUs (gpus/), links (links/) and hosts (hosts/); the figures' sources and the notes
/// say "assumed".
#pragma once
#include <span>
#include <string>
#include <vector>

#include "experiments/presets.hpp"
#include "topology/import/inventory.hpp"

namespace paceline {

/// What the user says of a machine where a file does not.
struct Assumptions {
  std::string gpu;         ///< a preset's name or a path to a GPU's file; "": as the source says
  int nvswitch_links = 0;  ///< NVLinks from each GPU to NVSwitches that the source does not show
};

/// A machine file to be.
struct ImportedMachine {
  MachineSpec spec;
  std::vector<std::string> notes;  ///< what was assumed, left out or inferred, a line each
};

/// Throws SpecError where the user must say more, or the machine would be too large.
ImportedMachine assemble(Inventory inventory, const Assumptions& assumptions);

/// One lane or one link of a kind, with its figures.
std::span<const EmbeddedFile> embedded_links();
/// Hosts and the costs of their copies, by the age of their PCIe.
std::span<const EmbeddedFile> embedded_hosts();
/// The preset of a link. Throws SpecError.
LinkTypeSpec load_link(const std::string& name);

}  // namespace paceline
