// SPDX-License-Identifier: MIT
/// \file
/// What PCI calls its devices and links, for every reader of a tree of them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "topology/import/inventory.hpp"

namespace paceline {

/// A device's class as hexadecimal digits, "0x030200" or "0302", as its first four digits; -1 where
/// it is none.
int pci_class(std::string_view text);
/// The four digits of a vendor or a device, "0x10de", in small letters; "" where it is none.
std::string pci_word(std::string_view text);

enum class PciKind { gpu, nic, bridge, nvswitch, other };
/// What a device is. `vendor` is `pci_word`'s, "" where unknown: cards that only show a picture are
/// no GPUs, so those of other makers are not.
PciKind pci_kind(int device_class, const std::string& vendor);

/// "16.0 GT/s PCIe" as 16; 0 where it is none.
double gt_per_s(std::string_view text);

/// The link of so many bytes per second, as wide as it can be; unknown where no link has that rate.
PcieRate rate_of(BytesPerSecond bandwidth);

/// The generation whose lanes run at that speed; 0: none.
int pcie_generation(double gt_per_s);

/// Whether a link can have that rate: 2.5 GT/s is what virtual machines make up and what idle cards
/// fall back to.
bool believed(const PcieRate& rate);

}  // namespace paceline
