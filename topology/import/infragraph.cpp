// SPDX-License-Identifier: MIT
#include "topology/import/infragraph.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <queue>
#include <set>

#include "experiments/yaml.hpp"
#include "topology/import/pci.hpp"

namespace paceline {
namespace {

constexpr int kMostOfAKind = 1024;
constexpr int kMostBonded = 64;

const std::string& text_of(const Tree& map, std::string_view key) {
  static const std::string kNone;
  const Tree* value = map.find(key);
  return value != nullptr && value->is_scalar() ? value->text : kNone;
}

const std::vector<Tree>& items_of(const Tree& map, std::string_view key) {
  static const std::vector<Tree> kNone;
  const Tree* value = map.find(key);
  return value != nullptr && value->is_list() ? value->items : kNone;
}

/// A component's name and number: "xpu.3".
using End = std::pair<std::string, int>;

std::string named(const End& end) {
  return end.first + "." + std::to_string(end.second);
}

struct Connection {
  End from, to;
  std::string link;
  Location at;
};

/// What the file says of a kind of link.
struct Link {
  std::string description;
  BytesPerSecond bandwidth;  ///< 0: not said
  PcieRate rate;             ///< where it is one of PCIe
};

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

class InfraGraphReader final {
 public:
  Inventory read(const Tree& root);

 private:
  void read_device(const Tree& device, const std::vector<Tree>& outside);
  Connection read_connection(const Tree& tree) const;
  void read_card(const Tree& tree);
  void find_nvswitches();
  void place_below_sockets();
  void add_bonds();
  void read_component(const Tree& component);
  void check_number(const End& end, const Location& at) const;
  void read_link(const Tree& link);
  void join_sockets();
  void check_reached() const;
  static bool is_nvlink(const std::string& link) {
    return link.find("nvl") != std::string::npos || link.find("NVL") != std::string::npos;
  }
  bool is(const End& end, std::string_view type) const {
    const auto found = types_.find(end.first);
    return found != types_.end() && found->second == type;
  }

  std::map<std::string, std::string> types_;  // by component
  std::map<std::string, int> counts_;         // likewise, where the file says how many there are
  std::set<std::string> cards_;               // instances of devices that are no machines
  std::vector<Connection> connections_;
  std::map<End, int> device_;          // of GPUs, switches and network cards
  std::map<End, int> socket_;          // of CPUs
  std::map<std::string, Link> links_;  // by name
  std::set<std::string> strange_;      // links to devices whose bandwidth is not one of PCIe
  Inventory out_;
  Location at_;
};

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// A component's number, or -1.
int number_of(const std::string& text) {
  int value = -1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end && value < kMostOfAKind ? value : -1;
}

Connection InfraGraphReader::read_connection(const Tree& tree) const {
  const std::vector<std::string> parts = parts_of(tree.text);
  if (!tree.is_scalar() || parts.size() != 5 || number_of(parts[1]) < 0 ||
      number_of(parts[4]) < 0) {
    throw SpecError(tree.at, quote(tree) + " is not a connection such as cpu.0.pcie.xpu.1");
  }
  for (const std::string& name : {parts[0], parts[3]}) {
    if (types_.contains(name)) continue;
    std::vector<std::string> known;
    for (const auto& [other, type] : types_) known.push_back(other);
    throw SpecError(tree.at, unknown_name("component", name, known));
  }
  const Connection c{
      {parts[0], number_of(parts[1])}, {parts[3], number_of(parts[4])}, parts[2], tree.at};
  check_number(c.from, tree.at);
  check_number(c.to, tree.at);
  return c;
}

/// A card of another device in one of the machine's slots:
/// "server.0.pciesw.0.pcie.server-nic.0.port.0".
void InfraGraphReader::read_card(const Tree& tree) {
  const std::vector<std::string> parts = parts_of(tree.text);
  if (!tree.is_scalar() || parts.size() != 9) return;
  const bool left = types_.contains(parts[2]) && cards_.contains(parts[5]);
  const bool right = types_.contains(parts[7]) && cards_.contains(parts[0]);
  if (left == right) return;
  const End slot = left ? End{parts[2], number_of(parts[3])} : End{parts[7], number_of(parts[8])};
  const End card = left ? End{parts[5], number_of(parts[6])} : End{parts[0], number_of(parts[1])};
  if (slot.second < 0 || card.second < 0 || types_.contains(card.first)) return;
  check_number(slot, tree.at);
  connections_.push_back({slot, card, parts[4], tree.at});
}

void InfraGraphReader::read_component(const Tree& component) {
  const std::string& name = text_of(component, "name");
  types_[name] = text_of(component, "type");
  if (const int count = number_of(text_of(component, "count")); count >= 0) counts_[name] = count;
}

/// Components are numbered from 0.
void InfraGraphReader::check_number(const End& end, const Location& at) const {
  const auto count = counts_.find(end.first);
  if (count == counts_.end() || end.second < count->second) return;
  throw SpecError(at, "there is no " + quote(named(end)) + ": component " + quote(end.first) +
                          " has 'count: " + std::to_string(count->second) + "'");
}

void InfraGraphReader::read_link(const Tree& link) {
  Link& out = links_[text_of(link, "name")];
  out.description = text_of(link, "name") + " " + text_of(link, "description");
  const Tree* bandwidth = link.find("bandwidth");
  if (bandwidth == nullptr || !bandwidth->is_map()) return;
  const auto value = [&](std::initializer_list<const char*> spellings) {
    for (const char* key : spellings) {
      const Tree* number = bandwidth->find(key);
      double read = 0;
      std::string_view rest;
      if (number != nullptr && leading_number(*number, read, rest) && rest.empty()) return read;
    }
    return 0.0;
  };
  constexpr int kLanes = 16;
  constexpr double kMost = 1e5;  // GB/s
  const double transfers = value({"giga_transfers_per_second", "gigatransfers_per_second"});
  const double bytes = value({"giga_bytes_per_second", "gigabytes_per_second"}) +
                       value({"giga_bits_per_second", "gigabits_per_second"}) / 8;
  if (transfers > 0) out.rate = {transfers, kLanes};
  if (bytes > 0 && bytes < kMost) {
    out.bandwidth = BytesPerSecond{bytes * 1e9};
    if (transfers <= 0) out.rate = rate_of(out.bandwidth);
  }
}

/// A component that NVLinks lead to is an NVSwitch, whatever its type says.
void InfraGraphReader::find_nvswitches() {
  for (const Connection& c : connections_) {
    if (!is_nvlink(c.link)) continue;
    for (const End& end : {c.from, c.to}) {
      if (!is(end, "xpu") && !is(end, "cpu")) types_[end.first] = "nvswitch";
    }
  }
}

/// Breadth first from the sockets: what a device was reached from is above it.
void InfraGraphReader::place_below_sockets() {
  std::map<End, std::vector<const Connection*>> by_end;
  for (const Connection& c : connections_) {
    if (is_nvlink(c.link)) continue;
    by_end[c.from].push_back(&c);
    by_end[c.to].push_back(&c);
    for (const End& end : {c.from, c.to}) {
      if (is(end, "cpu")) socket_.emplace(end, 0);
    }
  }
  std::queue<End> next;
  int sockets = 0;
  for (auto& [end, socket] : socket_) {
    socket = sockets++;
    next.push(end);
  }
  if (sockets == 0) throw SpecError(at_, "no connection of the device begins at a CPU");
  out_.sockets = sockets;
  while (!next.empty()) {
    const End above = next.front();
    next.pop();
    for (const Connection* c : by_end[above]) {
      const End& end = c->from == above ? c->to : c->from;
      if (is(end, "cpu") || is(end, "nvswitch") || device_.contains(end)) continue;
      PciDevice device;
      device.kind = is(end, "xpu")   ? PciDevice::Kind::gpu
                    : is(end, "nic") ? PciDevice::Kind::nic
                                     : PciDevice::Kind::pcie_switch;
      if (is(end, "xpu")) device.order = end.second;
      device.parent = is(above, "cpu") ? -1 : device_.at(above);
      device.socket = is(above, "cpu") ? socket_.at(above) : 0;
      const auto link = links_.find(c->link);
      if (link != links_.end()) {
        device.rate = link->second.rate;
        if (device.rate.lanes == 0 && link->second.bandwidth > BytesPerSecond{}) {
          strange_.insert(c->link);
        }
      }
      device_[end] = static_cast<int>(out_.devices.size());
      const bool passes = device.kind == PciDevice::Kind::pcie_switch;
      out_.devices.push_back(std::move(device));
      if (passes) next.push(end);
    }
  }
}

/// How the file's CPUs are joined, and by what.
void InfraGraphReader::join_sockets() {
  std::map<std::pair<int, int>, int> joined;
  for (const Connection& c : connections_) {
    if (is_nvlink(c.link) || !is(c.from, "cpu") || !is(c.to, "cpu") || c.from == c.to) continue;
    ++joined[std::minmax(socket_.at(c.from), socket_.at(c.to))];
    const auto found = links_.find(c.link);
    if (found == links_.end()) continue;
    const std::string what = in_small_letters(found->second.description);
    if (what.find("infinity") != std::string::npos) out_.socket_link = "infinity-fabric";
    if (what.find("upi") != std::string::npos) out_.socket_link = "upi";
    if (what.find("qpi") != std::string::npos) out_.socket_link = "qpi";
    if (found->second.bandwidth > BytesPerSecond{}) {
      out_.socket_bandwidth = found->second.bandwidth;
    }
  }
  for (const auto& [pair, count] : joined) {
    out_.socket_links.push_back({pair.first, pair.second, std::min(count, kMostBonded)});
  }
}

/// A GPU that no socket reaches would be left out.
void InfraGraphReader::check_reached() const {
  for (const Connection& c : connections_) {
    if (is_nvlink(c.link)) continue;  // of these `add_bonds` speaks
    for (const End& end : {c.from, c.to}) {
      if (is(end, "xpu") && !device_.contains(end)) {
        throw SpecError(c.at, quote(named(end)) + " is not connected to a CPU");
      }
    }
  }
}

void InfraGraphReader::add_bonds() {
  std::map<End, int> to_switches;
  std::map<std::pair<int, int>, int> direct;
  const auto gpu = [&](const End& end, const Connection& c) {
    const auto found = device_.find(end);
    if (found != device_.end()) return found->second;
    throw SpecError(c.at, quote(named(end)) + " has NVLinks, but no connection to a CPU");
  };
  for (const Connection& c : connections_) {
    if (!is_nvlink(c.link)) continue;
    if (is(c.from, "xpu") && is(c.to, "xpu")) {
      const auto [a, b] = std::minmax({gpu(c.from, c), gpu(c.to, c)});
      if (a != b) ++direct[{a, b}];
    } else if (is(c.from, "xpu") && is(c.to, "nvswitch")) {
      ++to_switches[c.from];
      gpu(c.from, c);
    } else if (is(c.to, "xpu") && is(c.from, "nvswitch")) {
      ++to_switches[c.to];
      gpu(c.to, c);
    }
  }
  for (const auto& [end, count] : to_switches) {
    out_.bonds.push_back({device_.at(end), Bond::kSwitch, std::min(count, kMostBonded)});
  }
  for (const auto& [pair, count] : direct) {
    out_.bonds.push_back({pair.first, pair.second, std::min(count, kMostBonded)});
  }
  if (!out_.bonds.empty()) {
    out_.notes.emplace_back("each NVLink connection of the file counts as one NVLink");
  }
}

void InfraGraphReader::read_device(const Tree& device, const std::vector<Tree>& outside) {
  at_ = device.at;
  for (const Tree& component : items_of(device, "components")) {
    if (component.is_map()) read_component(component);
  }
  for (const Tree& link : items_of(device, "links")) {
    if (link.is_map()) read_link(link);
  }
  for (const Tree& tree : items_of(device, "connections")) {
    connections_.push_back(read_connection(tree));
  }
  for (const Tree& tree : outside) read_card(tree);
  for (const Connection& c : connections_) {
    if (!types_.contains(c.to.first)) types_[c.to.first] = "nic";
  }
  find_nvswitches();
  place_below_sockets();
  join_sockets();
  check_reached();
  add_bonds();
  if (!strange_.empty()) {
    out_.notes.push_back("bandwidth of no PCIe link: left out: " +
                         join({strange_.begin(), strange_.end()}));
  }
}

Inventory InfraGraphReader::read(const Tree& root) {
  out_.origin = "an InfraGraph device";
  const Tree* inner = root.find("infrastructure");
  const Tree& graph = inner != nullptr && inner->is_map() ? *inner : root;
  std::vector<const Tree*> machines;
  for (const Tree& device : items_of(graph, "devices")) {
    if (!device.is_map()) continue;
    const std::vector<Tree>& components = items_of(device, "components");
    if (std::any_of(components.begin(), components.end(), [](const Tree& component) {
          return component.is_map() && text_of(component, "type") == "xpu";
        })) {
      machines.push_back(&device);
    }
  }
  if (machines.size() != 1) {
    throw SpecError(graph.at,
                    std::to_string(machines.size()) +
                        " devices of the file have accelerators (components of type xpu); "
                        "a machine file is one computer with some");
  }
  const std::string& name = text_of(*machines.front(), "name");
  for (const Tree& instance : items_of(graph, "instances")) {
    if (!instance.is_map()) continue;
    if (text_of(instance, "device") != name) {
      cards_.insert(text_of(instance, "name"));
    } else if (const Tree* count = instance.find("count"); count != nullptr && count->text != "1") {
      throw SpecError(count->at, "the file describes a cluster (" + quote(*count) + " of " +
                                     quote(name) +
                                     "); a machine file is one computer (give it 'count: 1')");
    }
  }
  read_device(*machines.front(), items_of(graph, "connections"));
  return std::move(out_);
}

}  // namespace

bool is_infragraph(const std::string& text) {
  return text.find("connections:") != std::string::npos &&
         (text.find("components:") != std::string::npos ||
          text.find("infrastructure:") != std::string::npos);
}

Inventory read_infragraph(const std::string& file, const std::string& text) {
  const Tree root = parse_yaml(file, text);
  if (!root.is_map()) throw SpecError(root.at, "expected an InfraGraph description");
  return InfraGraphReader().read(root);
}

}  // namespace paceline
