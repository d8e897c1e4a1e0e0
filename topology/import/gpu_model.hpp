// SPDX-License-Identifier: MIT
/// \file
/// Finds the GPU preset for a GPU of a topology file: by the driver's name, the PCI id or the
/// architecture, otherwise by the number of NVLinks.
#pragma once
#include <string>

#include "topology/gpu.hpp"
#include "topology/import/inventory.hpp"

namespace paceline {

struct GpuModel {
  Tree model;  ///< for `gpus:` of a machine file
  GpuSpec spec;
  std::string assumed;  ///< the reason for choosing this preset; "" if the source names the GPU
};

/// The preset for a GPU with `nvlinks` NVLinks in the source.
GpuModel model_of(const PciDevice& gpu, int nvlinks);

/// The GPU that the user names: a preset or the path of a file. The figures of a file are copied.
/// Throws SpecError.
GpuModel model_named(const std::string& name);

}  // namespace paceline
