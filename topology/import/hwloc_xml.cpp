// SPDX-License-Identifier: MIT
//
// hwloc lists every PCI bridge. The first level below a host bridge are root ports, which are
// inside the processor; below that, upstream and downstream ports of switches alternate. The
// upstream port represents the switch.
#include "topology/import/hwloc_xml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "topology/import/pci.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostInDistances = 4096;

/// The position of an object in the tree.
struct Place {
  int socket = 0;
  int parent = -1;  ///< device
  int bridges = 0;  ///< PCI bridges between the object and its host bridge
};

struct PciType {
  int device_class = -1;
  std::string vendor, device;
};

/// Parses "0302 [10de:1db8] [10de:131d] a1".
PciType pci_type(const std::string& text) {
  PciType type;
  type.device_class = pci_class(text.substr(0, text.find(' ')));
  const std::size_t open = text.find('[');
  if (open != std::string::npos && text.size() > open + 10 && text[open + 5] == ':') {
    type.vendor = pci_word(text.substr(open + 1, 4));
    type.device = pci_word(text.substr(open + 6, 4));
  }
  return type;
}

/// The value of an object's <info>, or "".
std::string info(const XmlElement& object, std::string_view name) {
  for (const XmlElement& child : object.children) {
    if (child.name == "info" && child.attribute("name") == name) return child.attribute("value");
  }
  return "";
}

/// The number after `prefix`: 3 for "nvml3"; -1 if there is none.
int number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return -1;
  text.remove_prefix(prefix.size());
  int value = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && rest == text.data() + text.size() ? value : -1;
}

/// The rate of the link above an object, which hwloc gives as a bandwidth in GB/s.
PcieRate link_rate(const XmlElement& object) {
  double speed = 0;
  const std::string& text = object.attribute("pci_link_speed");
  std::from_chars(text.data(), text.data() + text.size(), speed);
  return rate_of(BytesPerSecond{speed * 1e9});
}

class HwlocReader final {
 public:
  Inventory read(const XmlElement& topology);

 private:
  void walk(const XmlElement& object, Place place);
  void read_package(const XmlElement& package, Place& place);
  void read_bridge(const XmlElement& bridge, Place& place);
  void read_pci(const XmlElement& pci, const Place& place);
  void read_os_devices(const XmlElement& pci, PciDevice& device);
  /// True for a GPU and for NVSwitches.
  bool may_have_nvlinks(int device) const {
    return device == Bond::kSwitch ||
           out_.devices[static_cast<std::size_t>(device)].kind == PciDevice::Kind::gpu;
  }
  void read_distances(const XmlElement& distances);

  Inventory out_;
  int packages_ = 0;
  std::map<int, int> cores_;  // by socket
  // By hwloc's global index: a device, or Bond::kSwitch for an NVSwitch.
  std::map<int, int> by_index_;
};

void HwlocReader::read_package(const XmlElement& package, Place& place) {
  place.socket = packages_++;
  const std::string link =
      socket_link_of(info(package, "CPUVendor"), number_after(info(package, "CPUModelNumber"), ""));
  if (!link.empty()) out_.socket_link = link;
}

void HwlocReader::read_bridge(const XmlElement& bridge, Place& place) {
  PciDevice device;
  device.parent = place.parent;
  device.socket = place.socket;
  if (bridge.attribute("bridge_type").starts_with("0-")) {
    device.kind = PciDevice::Kind::host_bridge;
    device.parent = -1;
    place.bridges = 0;
  } else {
    ++place.bridges;
    if (place.bridges % 2 == 1) return;  // a root port or a downstream port
    device.kind = PciDevice::Kind::pcie_switch;
    device.address = bridge.attribute("pci_busid");
    device.rate = link_rate(bridge);
  }
  place.parent = static_cast<int>(out_.devices.size());
  out_.devices.push_back(std::move(device));
}

void HwlocReader::read_os_devices(const XmlElement& pci, PciDevice& device) {
  const int index = static_cast<int>(out_.devices.size());
  for (const XmlElement& child : pci.children) {
    if (child.name != "object" || child.attribute("type") != "OSDev") continue;
    const std::string& name = child.attribute("name");
    by_index_[child.number("gp_index", -1)] = index;
    if (device.kind == PciDevice::Kind::gpu) {
      const int order = number_after(name, "nvml");
      if (order >= 0) device.order = order;
      const std::string model = info(child, "GPUModel");
      if (!model.empty()) device.driver_name = model;
    } else if (child.attribute("osdev_type") == "3" || device.name.empty()) {
      device.name = name;  // prefers the OpenFabrics name to that of the network interface
    }
  }
}

void HwlocReader::read_pci(const XmlElement& pci, const Place& place) {
  const PciType type = pci_type(pci.attribute("pci_type"));
  const PciKind kind = pci_kind(type.device_class, type.vendor, type.device);
  const int index = pci.number("gp_index", -1);
  if (kind == PciKind::nvswitch) by_index_[index] = Bond::kSwitch;
  if (kind != PciKind::gpu && kind != PciKind::nic) return;
  PciDevice device;
  device.kind = kind == PciKind::gpu ? PciDevice::Kind::gpu : PciDevice::Kind::nic;
  device.address = pci.attribute("pci_busid");
  device.parent = place.parent;
  device.socket = place.socket;
  if (kind == PciKind::gpu) device.pci_id = type.vendor + ":" + type.device;
  device.rate = link_rate(pci);
  by_index_[index] = static_cast<int>(out_.devices.size());
  read_os_devices(pci, device);
  out_.devices.push_back(std::move(device));
}

void HwlocReader::walk(const XmlElement& object, Place place) {
  const std::string& type = object.attribute("type");
  if (type == "Package" || type == "Socket") {
    read_package(object, place);
  } else if (type == "Core") {
    ++cores_[place.socket];
  } else if (type == "Bridge") {
    read_bridge(object, place);
  } else if (type == "PCIDev") {
    read_pci(object, place);
    return;
  }
  for (const XmlElement& child : object.children) {
    if (child.name == "object") walk(child, place);
  }
}

/// Reads the NVLink bandwidths, in MB/s, between GPUs and between GPUs and NVSwitches.
void HwlocReader::read_distances(const XmlElement& distances) {
  std::vector<int> ends;  // devices
  std::vector<double> values;
  constexpr int kUnknown = -3;
  for (const XmlElement& part : distances.children) {
    std::istringstream words(part.text);
    for (std::string word; words >> word;) {
      if (part.name == "indexes") {
        const std::size_t colon = word.find(':');
        const int index = number_after(word.substr(colon == std::string::npos ? 0 : colon + 1), "");
        const auto found = by_index_.find(index);
        const bool known = found != by_index_.end() && may_have_nvlinks(found->second);
        ends.push_back(known ? found->second : kUnknown);
      } else if (part.name == "u64values") {
        double value = 0;
        std::from_chars(word.data(), word.data() + word.size(), value);
        values.push_back(value);
      }
    }
  }
  const std::size_t n = ends.size();
  if (n > kMostInDistances || values.size() != n * n) {
    throw SpecError(distances.at, "NVLinkBandwidth has " + std::to_string(values.size()) +
                                      " values for " + std::to_string(n) + " objects");
  }
  const auto links = [](double megabytes) {
    // 20 GB/s for each NVLink of the first generation, 25 GB/s for later ones
    const bool later = std::fmod(megabytes, 25e3) == 0 || std::fmod(megabytes, 20e3) != 0;
    return static_cast<int>(std::clamp(std::round(megabytes / (later ? 25e3 : 20e3)), 0.0, 64.0));
  };
  std::map<int, int> to_switches;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const int count = i == j ? 0 : links(values[i * n + j]);
      if (ends[i] < 0 || count == 0 || ends[i] == ends[j]) continue;
      if (ends[j] == Bond::kSwitch) to_switches[ends[i]] += count;
      if (ends[j] >= 0 && i < j) out_.bonds.push_back({ends[i], ends[j], count});
    }
  }
  for (const auto& [gpu, count] : to_switches) {
    out_.bonds.push_back({gpu, Bond::kSwitch, std::min(count, 64)});
  }
}

Inventory HwlocReader::read(const XmlElement& topology) {
  out_.origin = "an hwloc topology";
  out_.whole_host = true;
  for (const XmlElement& child : topology.children) {
    if (child.name == "object") walk(child, Place{});
  }
  for (const XmlElement& child : topology.children) {
    const bool distances = child.name == "distances2hetero" || child.name == "distances2";
    if (distances && child.attribute("name") == "NVLinkBandwidth") read_distances(child);
  }
  out_.sockets = std::max(packages_, 1);
  for (const auto& [socket, count] : cores_) out_.cores = std::max(out_.cores, count);
  return std::move(out_);
}

}  // namespace

Inventory inventory_of_hwloc(const XmlElement& topology) {
  return HwlocReader().read(topology);
}

}  // namespace paceline
