// SPDX-License-Identifier: MIT
#include "topology/import/pci_names.hpp"

#include <algorithm>
#include <array>

namespace paceline {
namespace {

using Words = std::initializer_list<std::string_view>;

bool has_any(const std::string& text, Words words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// The id at the end of "... [10de:20b0]", or of "NVIDIA Corporation Device 2330", which the
/// database does not know; "" if there is none.
std::string id_of(const std::string& name) {
  const std::size_t open = name.rfind('[');
  const std::string unknown = " Device ";
  const std::size_t number = name.find(unknown);
  if (open == std::string::npos && number != std::string::npos && name.starts_with("NVIDIA")) {
    const std::string device = pci_word(name.substr(number + unknown.size()));
    return device.empty() ? "" : "10de:" + device;
  }
  if (open == std::string::npos || name.size() < open + 11 || name[open + 5] != ':') return "";
  const std::string vendor = pci_word(name.substr(open + 1, 4));
  const std::string device = pci_word(name.substr(open + 6, 4));
  return vendor.empty() || device.empty() ? "" : vendor + ":" + device;
}

/// The text in the last brackets that are no id, "A100 SXM4 40GB"; the whole name if it has none.
std::string model_of(std::string name, const std::string& id) {
  constexpr std::size_t kLongest = 64;
  if (!id.empty()) name = name.substr(0, name.rfind('['));
  const std::size_t open = name.rfind('['), close = name.rfind(']');
  if (open != std::string::npos && close != std::string::npos && close > open + 1 &&
      name.compare(open, 5, "[AMD/") != 0) {
    name = name.substr(open + 1, close - open - 1);
  }
  while (name.ends_with(' ')) name.pop_back();
  return name.substr(0, kLongest);
}

PciKind kind_of(const std::string& name, const std::string& id) {
  const std::string vendor = id.substr(0, id.find(':'));
  if (id == "10de:1af1" || id == "10de:22a3") return PciKind::nvswitch;  // of A100 and H100
  const bool nvidia = vendor == "10de" || has_any(name, {"nvidia"});
  const bool amd = vendor == "1002" || has_any(name, {"[amd/ati]", "ati technologies"});
  const bool network = has_any(name, {"ethernet", "infiniband", "connectx", "omni-path", "network",
                                      "elastic fabric", "(efa)", "gve"});
  if (nvidia && has_any(name, {"nvswitch"})) return PciKind::nvswitch;
  if (has_any(name, {"virtual function", "soc management", "soc crypto", "auxiliary", "bridge"}))
    return PciKind::other;
  if (network) return PciKind::nic;
  const bool part =
      has_any(name, {"audio", "usb", "ucsi", "serial", "smbus", "memory controller", "host", "port",
                     "lpc", "sata", "ide", "co-processor", "switch", "hub", "dma"});
  if (part) return PciKind::other;
  if (nvidia) return PciKind::gpu;
  if (amd && has_any(name, {"instinct", "aldebaran", "arcturus", "aqua", "vega", "navi", "radeon",
                            "mi100", "mi200", "mi210", "mi250", "mi300", "mi325", "mi355"})) {
    return has_any(name, {"es1000", "rage", "radeon 7000"}) ? PciKind::other : PciKind::gpu;
  }
  return PciKind::other;
}

}  // namespace

PciName pci_name(const std::string& name) {
  PciName out;
  out.id = id_of(name);
  const std::string lower = in_lower_case(name);
  const std::string vendor = out.id.substr(0, out.id.find(':'));
  out.kind = kind_of(lower, out.id);
  if (out.kind != PciKind::gpu) return out;
  out.vendor = !vendor.empty()                             ? vendor
               : lower.find("nvidia") != std::string::npos ? "10de"
                                                           : "1002";
  out.model = model_of(name, out.id);
  return out;
}

}  // namespace paceline
