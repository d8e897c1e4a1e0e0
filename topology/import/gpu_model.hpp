// SPDX-License-Identifier: MIT
/// \file
/// Which GPU preset a GPU of a topology file is: by its driver's name, its PCI id or its
/// architecture, and otherwise by its NVLinks.
#pragma once
#include <string>

#include "topology/gpu.hpp"
#include "topology/import/inventory.hpp"

namespace paceline {

struct GpuModel {
  Tree model;  ///< for `gpus:` of a machine file
  GpuSpec spec;
  std::string assumed;  ///< why this preset stands for the GPU; "" where the source names it
};

/// The preset of a GPU that has `nvlinks` NVLinks in the source.
GpuModel model_of(const PciDevice& gpu, int nvlinks);

/// What the user calls it: a preset's name, or the path of a file, whose figures are then taken
/// over. Throws SpecError.
GpuModel model_named(const std::string& name);

}  // namespace paceline
