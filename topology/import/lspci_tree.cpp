// SPDX-License-Identifier: MIT
//
// A bus is drawn as its devices: `-[0000:17]-+-00.0-[18-1b]----00.0  NVIDIA ...`. A branch `+-` or
// `\-` belongs to the bus of which an earlier line has a branch in the same column. As in hwloc's
// files, the first bridge below a root bus is a port of the processor, and below that upstream and
// downstream ports of switches alternate.
#include "topology/import/lspci_tree.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "experiments/language/counted.hpp"
#include "topology/import/pci_names.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostDevices = 16384;
constexpr int kMostBridges = 64;  // in a row

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

/// A bus: the position of its devices.
struct Bus {
  std::string address;  ///< "0000:17"
  int parent = -1;      ///< device of the inventory
  int bridges = 0;      ///< between it and the root bus
};

class LspciReader final {
 public:
  LspciReader(const std::string& file, const std::string& text)
      : file_(std::make_shared<const std::string>(file)), text_(text) {}
  Inventory read();

 private:
  Location place_of(std::size_t column) const {
    return {file_, number_, static_cast<int>(column) + 1};
  }
  bool starts_tree() const;
  void read_line();
  void read_bus(std::size_t at, Bus bus);
  void read_branches(std::size_t at, const Bus& bus);
  void read_device(std::size_t at, const Bus& bus);
  void read_root(std::size_t at);
  std::string numbers_at(std::size_t& at);
  void add_device(const Bus& bus, const std::string& slot, const std::string& name);
  void place_roots();
  void note_guesses();

  std::shared_ptr<const std::string> file_;
  const std::string& text_;
  std::string line_;
  int number_ = 0;
  std::map<std::size_t, Bus> branches_;  // by column
  std::optional<std::size_t> roots_;     // the column of the roots' branches
  std::map<std::string, int> bridges_;   // host bridges by root bus
  std::set<std::string> buses_with_gpu_;
  std::size_t devices_ = 0, nvswitches_ = 0, named_ = 0;
  Inventory out_;
};

/// True for "-[0000:00]-" and "-+-[0000:ff]-" at the beginning of a line.
bool is_root_line(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos || line[at] != '-') return false;
  const std::string rest = line.substr(at + 1);
  const std::size_t open = rest.starts_with("+-[") ? 2 : 0;
  return rest.size() > open + 4 && rest[open] == '[' && is_hex(rest[open + 1]) &&
         rest.find("]-") != std::string::npos;
}

bool LspciReader::starts_tree() const {
  return is_root_line(line_);
}

/// The text between brackets at `at`, which then is behind them and the dashes that follow.
std::string LspciReader::numbers_at(std::size_t& at) {
  const std::size_t close = line_.find(']', at);
  if (close == std::string::npos) throw SpecError(place_of(at), "the number of a bus has no ']'");
  std::string numbers = line_.substr(at + 1, close - at - 1);
  const auto good = [](char c) { return is_hex(c) || c == ':' || c == '-'; };
  if (numbers.empty() || numbers.size() > 16 || !std::ranges::all_of(numbers, good))
    throw SpecError(place_of(at), "'" + numbers.substr(0, 16) + "' is no number of a bus");
  at = close + 1;
  return numbers;
}

/// A root bus, of which each has a host bridge.
void LspciReader::read_root(std::size_t at) {
  std::string address = numbers_at(at);
  if (address.find(':') == std::string::npos) address = "0000:" + address;
  if (bridges_.size() >= 4096) throw SpecError(place_of(at), "too many buses");
  const auto [row, added] = bridges_.emplace(address, static_cast<int>(out_.devices.size()));
  if (added) {
    PciDevice bridge;
    bridge.kind = PciDevice::Kind::host_bridge;
    bridge.address = address;
    out_.devices.push_back(std::move(bridge));
  }
  read_bus(at, {address, row->second, 0});
}

/// Reads the devices behind the brackets of a bus: "-+-00.0" or "---00.0", or nothing.
void LspciReader::read_bus(std::size_t at, Bus bus) {
  while (at < line_.size() && line_[at] == '-') ++at;
  if (at >= line_.size() || line_[at] == ' ') return;
  if (line_[at] == '+' || line_[at] == '\\') {
    read_branches(at, bus);
  } else {
    read_device(at, bus);
  }
}

void LspciReader::read_branches(std::size_t at, const Bus& bus) {
  branches_[at] = bus;
  ++at;
  while (at < line_.size() && line_[at] == '-') ++at;
  if (at < line_.size() && line_[at] == '[') {
    read_bus(at, bus);
    return;
  }
  read_device(at, bus);
}

/// A device "1f.2  NAME", or a bridge "01.0-[02]-..." with the bus below it.
void LspciReader::read_device(std::size_t at, const Bus& bus) {
  const std::size_t begin = at;
  while (at < line_.size() && (is_hex(line_[at]) || line_[at] == '.')) ++at;
  const std::string slot = line_.substr(begin, at - begin);
  const bool good =
      slot.size() == 4 && slot[2] == '.' && is_hex(slot[0]) && is_hex(slot[1]) && is_hex(slot[3]);
  if (!good)
    throw SpecError(place_of(begin),
                    "expected a device such as 00.0 (give all that `lspci -tv` prints)");
  if (++devices_ > kMostDevices) throw SpecError(place_of(begin), "too many devices");
  if (line_.compare(at, 2, "-[") != 0) {
    const std::size_t name = line_.find_first_not_of(' ', at);
    add_device(bus, slot, name == std::string::npos ? "" : line_.substr(name));
    return;
  }
  Bus below = bus;
  if (++below.bridges > kMostBridges) throw SpecError(place_of(begin), "too many bridges in a row");
  ++at;
  const std::string numbers = numbers_at(at);
  below.address = bus.address.substr(0, bus.address.find(':')) + ":" + numbers.substr(0, 2);
  if (below.bridges % 2 == 0) {
    PciDevice port;
    port.kind = PciDevice::Kind::pcie_switch;
    port.address = bus.address + ":" + slot;
    port.parent = bus.parent;
    below.parent = static_cast<int>(out_.devices.size());
    out_.devices.push_back(std::move(port));
  }
  read_bus(at, below);
}

void LspciReader::add_device(const Bus& bus, const std::string& slot, const std::string& name) {
  const PciName known = pci_name(name);
  if (!name.empty()) ++named_;
  const bool root = name.find("Root Complex") != std::string::npos;
  if (root && name.starts_with("Advanced Micro Devices")) out_.socket_link = "infinity-fabric";
  if (known.kind == PciKind::nvswitch) ++nvswitches_;
  if (known.kind != PciKind::gpu && known.kind != PciKind::nic) return;
  const bool gpu = known.kind == PciKind::gpu;
  // A virtual function of a GPU has the GPU's name, and other functions or slots of its bus.
  if (gpu && bus.bridges > 0 && !buses_with_gpu_.insert(bus.address).second) return;
  PciDevice device;
  device.kind = gpu ? PciDevice::Kind::gpu : PciDevice::Kind::nic;
  device.address = bus.address + ":" + slot;
  device.parent = bus.parent;
  if (gpu) {
    device.driver_name = known.model;
    device.pci_id = known.id;
    device.vendor = known.vendor;
  }
  out_.devices.push_back(std::move(device));
}

void LspciReader::read_line() {
  const std::size_t at = line_.find_first_not_of(" |");
  if (at == std::string::npos) return;
  const bool branch = line_[at] == '+' || line_[at] == '\\';
  if (!branch && !is_root_line(line_))
    throw SpecError(place_of(at), "is no line of the tree of `lspci -tv`");
  if (!branch) {
    const std::size_t dash = line_.find('-');
    roots_ = dash + 1;
    read_root(line_.find('['));
    return;
  }
  const std::size_t next = line_.find_first_not_of('-', at + 1);
  if (roots_ == at && next != std::string::npos && line_[next] == '[') {
    read_root(next);
    return;
  }
  const auto bus = branches_.find(at);
  if (bus == branches_.end())
    throw SpecError(place_of(at),
                    "no bus above has a branch in this column (give all that `lspci -tv` prints)");
  const Bus copy = bus->second;
  read_branches(at, copy);
}

/// Sockets by the numbers of root buses: firmware gives the first half to the first socket. A board
/// with one EPYC has the four roots 00, 40, 80 and c0 alone.
void LspciReader::place_roots() {
  const auto number = [](const std::string& address) {
    int value = 0;
    const std::string bus = address.substr(address.find(':') + 1);
    std::from_chars(bus.data(), bus.data() + bus.size(), value, 16);
    return value;
  };
  constexpr int kFirstOfSecond = 0x80, kQuarter = 0x40;
  const auto is_quarter = [&](const auto& row) { return number(row.first) % kQuarter == 0; };
  const bool quarters = std::ranges::all_of(bridges_, is_quarter);
  for (const auto& [address, bridge] : bridges_) {
    const bool second = address.starts_with("0000:") && number(address) >= kFirstOfSecond;
    if (!second || quarters) continue;
    out_.devices[static_cast<std::size_t>(bridge)].socket = 1;
    out_.sockets = 2;
  }
}

void LspciReader::note_guesses() {
  out_.notes.push_back("sockets: not in the source, assumed " + std::to_string(out_.sockets) +
                       (out_.sockets == 2 ? ", the second from bus 80 on" : "") +
                       " (`lstopo box.xml`, or `nvidia-smi topo -m`, says it)");
  if (nvswitches_ > 0) {
    out_.on_nvswitches = true;
    out_.notes.push_back(counted(nvswitches_, "NVSwitch") + (nvswitches_ == 1 ? "" : "es") +
                         " in the source, which does not say "
                         "NVLinks");
  }
}

Inventory LspciReader::read() {
  out_.origin = "a tree of lspci";
  out_.naming = "give what `lspci -tvnn` prints";
  bool within = false;
  for (std::size_t begin = 0; begin < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    line_ = text_.substr(begin, end - begin);
    begin = end + 1;
    ++number_;
    while (!line_.empty() && (line_.back() == '\r' || line_.back() == ' ')) line_.pop_back();
    const std::size_t first = line_.find_first_not_of(" |");
    const bool branch = first != std::string::npos && (line_[first] == '+' || line_[first] == '\\');
    if (!starts_tree() && !(within && branch)) continue;  // text around the tree
    within = true;
    read_line();
  }
  if (named_ == 0) {
    throw SpecError({file_, 0, 0},
                    "`lspci -t` does not name devices: give what `lspci -tv` prints");
  }
  place_roots();
  note_guesses();
  return std::move(out_);
}

}  // namespace

bool is_lspci_tree(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (is_root_line(text.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

Inventory inventory_of_lspci(const std::string& file, const std::string& text) {
  return LspciReader(file, text).read();
}

}  // namespace paceline
