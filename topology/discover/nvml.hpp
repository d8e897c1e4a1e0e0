// SPDX-License-Identifier: MIT
/// \file
/// Access to NVML, the NVIDIA driver's management library, opened at run time. NVML describes the
/// GPUs, their NVLinks and peer access.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "topology/import/inventory.hpp"

namespace paceline {

/// A GPU as NVML describes it.
struct NvmlGpu {
  /// The remote end of an active NVLink.
  struct Link {
    enum class To { gpu, nvswitch, socket };
    To to = To::gpu;
    std::string address;  ///< of a GPU
  };
  std::string address;      ///< "0000:07:00.0"
  std::string name;         ///< "NVIDIA H200"
  int pcie_generation = 0;  ///< maximum; 0: unknown
  int pcie_lanes = 0;
  std::vector<Link> links;
  std::vector<int> peers;  ///< other GPUs that this GPU can read and write directly
};

/// The GPUs available to this process, in the driver's order; nothing if there is no driver or it
/// fails. `library` is the file to open.
std::optional<std::vector<NvmlGpu>> nvml_gpus(const char* library = "libnvidia-ml.so.1");

/// Corrects an inventory of PCI devices by NVML's data: names, order, links and peers of the GPUs.
/// NVIDIA GPUs that NVML does not list belong to other users and are removed.
void apply_nvml(Inventory& inventory, const std::vector<NvmlGpu>& gpus);

/// Converts NVML's address to the form of /sys: "00000000:07:00.0" becomes "0000:07:00.0".
std::string pci_address(std::string nvml);

}  // namespace paceline
