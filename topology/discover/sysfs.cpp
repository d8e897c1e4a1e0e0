// SPDX-License-Identifier: MIT
#include "topology/discover/sysfs.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>

#include "topology/import/cpu_set.hpp"
#include "topology/import/pci.hpp"

namespace paceline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDevices = 4096;

/// The first line of a file, or "".
std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  return line;
}

int number_of(std::string_view text, int otherwise) {
  int value = otherwise;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? value : otherwise;
}

/// The names in a folder, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path pci_folder(const fs::path& root, const std::string& address) {
  return root / "sys/bus/pci/devices" / address;
}

class SysfsReader final {
 public:
  explicit SysfsReader(const fs::path& root) : root_(root) {}
  Inventory read();

 private:
  void read_nodes();
  void read_maker();
  void read_devices();
  int cores_of(const std::vector<int>& processors) const;
  /// The device for the innermost of the bridges `above`, created if missing.
  int parent_of(const std::vector<std::string>& above, int socket);
  int socket_at(const fs::path& device) const;
  std::string network_name(const fs::path& device) const;

  fs::path root_;
  Inventory out_;
  std::map<int, int> socket_;              // socket by NUMA node
  std::map<std::string, int> by_address_;  // devices of bridges
};

int SysfsReader::cores_of(const std::vector<int>& processors) const {
  int cores = 0;
  for (const int p : processors) {
    const fs::path file = root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(p)) /
                          "topology/thread_siblings_list";
    const std::string siblings = line_of(file);
    if (siblings.empty() || number_of(siblings, p) == p)
      ++cores;  // count each core once, at its
                // first thread
  }
  return cores;
}

void SysfsReader::read_nodes() {
  const fs::path nodes = root_ / "sys/devices/system/node";
  std::map<int, std::vector<int>> found;
  for (const std::string& name : names_in(nodes)) {
    const int node = name.starts_with("node") ? number_of(name.substr(4), -1) : -1;
    if (node < 0) continue;
    std::vector<int> processors;
    for (const auto& [first, last] : processor_ranges(line_of(nodes / name / "cpulist"))) {
      for (int p = first; p <= last; ++p) processors.push_back(p);
    }
    if (!processors.empty()) found[node] = std::move(processors);
  }
  for (const auto& [node, processors] : found) {
    socket_[node] = static_cast<int>(socket_.size());
    out_.cores = std::max(out_.cores, cores_of(processors));
  }
  out_.sockets = std::max(1, static_cast<int>(socket_.size()));
  out_.socket_share = share_of_socket(out_.sockets);
}

void SysfsReader::read_maker() {
  std::ifstream file(root_ / "proc/cpuinfo");
  std::string maker;
  int model = -1;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    const std::string value = colon == std::string::npos ? "" : line.substr(colon + 2);
    if (line.starts_with("vendor_id")) maker = value;
    if (line.starts_with("model\t")) model = number_of(value, -1);
    if (line.empty()) break;  // the other processors are the same
  }
  out_.socket_link = socket_link_of(maker, model);
}

int SysfsReader::socket_at(const fs::path& device) const {
  const auto found = socket_.find(number_of(line_of(device / "numa_node"), -1));
  return found == socket_.end() ? 0 : found->second;
}

std::string SysfsReader::network_name(const fs::path& device) const {
  for (const char* folder : {"infiniband", "net"}) {
    const std::vector<std::string> names = names_in(device / folder);
    if (!names.empty()) return names.front();
  }
  return "";
}

int SysfsReader::parent_of(const std::vector<std::string>& above, int socket) {
  int parent = -1;
  for (std::size_t level = 0; level < above.size(); ++level) {
    // The levels alternate: host bridge, root port, a switch's upstream port, a downstream port,
    // and so on. Only the host bridge and upstream ports become devices.
    if (level % 2 == 1) continue;
    const auto [known, is_new] =
        by_address_.emplace(above[level], static_cast<int>(out_.devices.size()));
    if (is_new) {
      PciDevice device;
      device.kind = level == 0 ? PciDevice::Kind::host_bridge : PciDevice::Kind::pcie_switch;
      if (level > 0) device.address = above[level];
      device.parent = parent;
      device.socket = socket;
      out_.devices.push_back(std::move(device));
    }
    parent = known->second;
  }
  return parent;
}

void SysfsReader::read_devices() {
  for (const std::string& address : names_in(root_ / "sys/bus/pci/devices")) {
    if (out_.devices.size() >= kMostDevices) break;
    const fs::path folder = pci_folder(root_, address);
    const std::string vendor = pci_word(line_of(folder / "vendor"));
    const PciKind kind = pci_kind(pci_class(line_of(folder / "class")), vendor,
                                  pci_word(line_of(folder / "device")));
    if (kind != PciKind::gpu && kind != PciKind::nic) continue;
    // The canonical path lists the devices above a device: pci0000:00/0000:00:01.0/0000:01:00.0
    std::error_code broken;
    const fs::path path = fs::canonical(folder, broken);
    std::vector<std::string> above;
    if (!broken) {
      for (const fs::path& part : path.parent_path()) {
        const std::string name = part.string();
        const bool bus = name.starts_with("pci") && name.find(':') != std::string::npos;
        if (bus) above.assign(1, name);
        if (!bus && !above.empty()) above.push_back(name);
      }
    }
    PciDevice device;
    device.kind = kind == PciKind::gpu ? PciDevice::Kind::gpu : PciDevice::Kind::nic;
    device.address = address;
    device.socket = socket_at(folder);
    device.parent = parent_of(above, device.socket);
    if (kind == PciKind::gpu) device.pci_id = vendor + ":" + pci_word(line_of(folder / "device"));
    if (kind == PciKind::nic) device.name = network_name(folder);
    out_.devices.push_back(std::move(device));
  }
}

Inventory SysfsReader::read() {
  out_.origin = "/sys of this computer";
  read_nodes();
  read_maker();
  read_devices();
  raise_rates(out_, root_);
  return std::move(out_);
}

}  // namespace

Inventory inventory_of_sysfs(const fs::path& root) {
  return SysfsReader(root).read();
}

void raise_rates(Inventory& inventory, const fs::path& root) {
  for (PciDevice& device : inventory.devices) {
    if (device.address.empty()) continue;
    const fs::path folder = pci_folder(root, device.address);
    const double fastest = gt_per_s(line_of(folder / "max_link_speed"));
    if (fastest == 0) continue;
    // The slot may be slower than the card; the canonical path leads to the port above.
    std::error_code broken;
    const fs::path port = fs::canonical(folder, broken).parent_path();
    const double above = broken ? 0 : gt_per_s(line_of(port / "max_link_speed"));
    const int now = number_of(line_of(folder / "current_link_width"), 0);
    const int widest = number_of(line_of(folder / "max_link_width"), 0);
    device.rate = {above > 0 ? std::min(above, fastest) : fastest, now > 0 ? now : widest};
  }
}

std::string product_name(const fs::path& root) {
  return line_of(root / "sys/class/dmi/id/product_name");
}

}  // namespace paceline
