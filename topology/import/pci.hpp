// SPDX-License-Identifier: MIT
/// \file
/// PCI's device classes, ids and link rates, shared by all readers of PCI trees.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "topology/import/inventory.hpp"

namespace paceline {

/// The first four digits of a device's class, given in hexadecimal as "0x030200" or "0302"; -1 if
/// the text has another form.
int pci_class(std::string_view text);
/// The four digits of a vendor or device id such as "0x10de", in lower case; "" if the text has
/// another form.
std::string pci_word(std::string_view text);

enum class PciKind { gpu, nic, bridge, nvswitch, other };
/// The kind of a device. `vendor` and `device` are results of `pci_word`, "" if unknown. A display
/// controller of any other manufacturer, or of a board's management controller, only drives a
/// screen and is not a GPU.
PciKind pci_kind(int device_class, const std::string& vendor, const std::string& device);

/// The rate in "16.0 GT/s PCIe", 16; 0 if the text has another form.
double gt_per_s(std::string_view text);

/// The widest PCIe link with this bandwidth; unknown if there is none.
PcieRate rate_of(BytesPerSecond bandwidth);

/// The PCIe generation with this rate per lane; 0: none.
int pcie_generation(double gt_per_s);

/// False for rates that are not credible: virtual machines report 2.5 GT/s without basis, and idle
/// cards fall back to it.
bool is_credible(const PcieRate& rate);

}  // namespace paceline
