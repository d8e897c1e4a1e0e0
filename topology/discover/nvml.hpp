// SPDX-License-Identifier: MIT
/// \file
/// NVML, the NVIDIA driver's own account of its GPUs, opened at run time.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "topology/import/inventory.hpp"

namespace paceline {

/// A GPU as NVML describes it.
struct NvmlGpu {
  /// The other end of an NVLink that is up.
  struct Link {
    enum class To { gpu, nvswitch, socket };
    To to = To::gpu;
    std::string address;  ///< of a GPU
  };
  std::string address;      ///< "0000:07:00.0"
  std::string name;         ///< "NVIDIA H200"
  int pcie_generation = 0;  ///< the highest; 0: not said
  int pcie_lanes = 0;
  std::vector<Link> links;
  std::vector<int> peers;  ///< other GPUs that it reads and writes directly
};

/// The GPUs that this process may use, in the driver's order; nothing where there is no driver or
/// it does not answer. `library` is the file to open.
std::optional<std::vector<NvmlGpu>> nvml_gpus(const char* library = "libnvidia-ml.so.1");

/// Lets NVML's account stand over what a tree of PCI devices says: names, order, links, peers. GPUs
/// of NVIDIA that NVML does not list are another user's, and go.
void apply_nvml(Inventory& inventory, const std::vector<NvmlGpu>& gpus);

/// "00000000:07:00.0" as /sys writes it: "0000:07:00.0".
std::string pci_address(std::string nvml);

}  // namespace paceline
