// SPDX-License-Identifier: MIT
#include "topology/import/pci.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace paceline {
namespace {

/// ATI's display chips of servers' management controllers: Rage XL, Radeon 7000 and ES1000 (PCI ID
/// database, pci-ids.ucw.cz).
bool only_shows_a_console(const std::string& vendor, const std::string& device) {
  constexpr std::array<std::string_view, 5> kDevices{"4752", "4758", "5159", "515e", "5969"};
  return vendor == "1002" && std::find(kDevices.begin(), kDevices.end(), device) != kDevices.end();
}

std::string_view without_prefix(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return text;
}

}  // namespace

int pci_class(std::string_view text) {
  text = without_prefix(text);
  if (text.size() < 4 || text.size() > 8) return -1;
  text = text.substr(0, 4);
  int value = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} && rest == text.data() + text.size() ? value : -1;
}

std::string pci_word(std::string_view text) {
  text = without_prefix(text);
  if (text.size() != 4) return "";
  std::string word;
  for (const char c : text) {
    if (c >= 'A' && c <= 'F') {
      word += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) {
      word += c;
    } else {
      return "";
    }
  }
  return word;
}

PciKind pci_kind(int device_class, const std::string& vendor, const std::string& device) {
  const bool maker = vendor.empty() || vendor == "10de" || vendor == "1002";
  const bool gpu = maker && !only_shows_a_console(vendor, device);
  switch (device_class) {
    case 0x0300:  // VGA
    case 0x0302:  // 3D
    case 0x0380:  // other display: AMD's accelerators
    case 0x1200:  // processing accelerator
      return gpu ? PciKind::gpu : PciKind::other;
    case 0x0604:
      return PciKind::bridge;
    case 0x0680:
      return maker ? PciKind::nvswitch : PciKind::other;
    case 0x0200:  // Ethernet
    case 0x0207:  // InfiniBand
    case 0x0208:  // fabric
    case 0x0280:  // other network
      return PciKind::nic;
    default:
      return PciKind::other;
  }
}

double gt_per_s(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return 0;
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  return unit.starts_with(" GT/s") && value > 0 && value < 1e3 ? value : 0;
}

PcieRate rate_of(BytesPerSecond bandwidth) {
  struct Generation {
    double gt_per_s;
    double share;  // payload fraction of the line code
  };
  constexpr std::array<Generation, 7> kGenerations{{{2.5, 0.8},
                                                    {5, 0.8},
                                                    // hwloc's rate for "5.0 GT/s PCIe"
                                                    {5, 128.0 / 130},
                                                    {8, 128.0 / 130},
                                                    {16, 128.0 / 130},
                                                    {32, 128.0 / 130},
                                                    {64, 242.0 / 256}}};
  constexpr std::array<int, 5> kLanes{16, 8, 4, 2, 1};
  for (const int lanes : kLanes) {
    for (const Generation& g : kGenerations) {
      const double rate = g.gt_per_s * 1e9 / 8 * g.share * lanes;
      if (std::abs(bandwidth.value() - rate) < 0.005 * rate) return {g.gt_per_s, lanes};
    }
  }
  return {};
}

int pcie_generation(double gt_per_s) {
  constexpr std::array<double, 6> kSpeeds{2.5, 5, 8, 16, 32, 64};
  for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
    if (gt_per_s > kSpeeds[i] * 0.99 && gt_per_s < kSpeeds[i] * 1.01)
      return static_cast<int>(i) + 1;
  }
  return 0;
}

bool is_credible(const PcieRate& rate) {
  constexpr int kMostLanes = 32;
  return pcie_generation(rate.gt_per_s) > 1 && rate.lanes >= 1 && rate.lanes <= kMostLanes;
}

}  // namespace paceline
