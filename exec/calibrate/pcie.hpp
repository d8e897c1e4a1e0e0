// SPDX-License-Identifier: MIT
/// \file
/// What a card's PCIe slot can carry, by what the system says of it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "experiments/units.hpp"

namespace paceline {

struct PcieLink {
  std::string name;          ///< "PCIe 5.0 x16"
  BytesPerSecond bandwidth;  ///< of each direction, after the line code
};

/// The link of the device at the PCI address `bus` ("0000:0f:00.0", in any case), at the speed and
/// width that it can have; nothing where the system does not say, or says what no PCIe has (virtual
/// machines do). `devices` is where the system lists them.
std::optional<PcieLink> pcie_link(const std::string& bus,
                                  const std::filesystem::path& devices = "/sys/bus/pci/devices");

}  // namespace paceline
