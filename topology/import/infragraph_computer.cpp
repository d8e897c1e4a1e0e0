// SPDX-License-Identifier: MIT
//
// The CPUs are the roots of a tree of the edges that are no NVLinks. A slot stands for the device
// in it: it has no vertex of its own.
#include "topology/import/infragraph_computer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "experiments/language/counted.hpp"

namespace paceline::infra {
namespace {

using Part = std::pair<std::string, int>;
constexpr std::size_t kMostParts = 4096;

/// The PCIe link of about this bandwidth, as people round it (32 GB/s for the 31.5 of gen4 x16);
/// unknown if there is none.
PcieRate nearest_rate(BytesPerSecond bandwidth) {
  constexpr double kRounded = 0.05;
  for (const int lanes : {16, 8, 4, 2, 1}) {
    for (const double gt_per_s : {8.0, 16.0, 32.0, 64.0}) {
      const double whole = gt_per_s * 1e9 / 8 * lanes * 128 / 130;
      if (std::abs(bandwidth.value() / whole - 1) < kRounded) return {gt_per_s, lanes};
    }
  }
  return {};
}

/// The place below which a part is found: a device, or a socket.
struct Place {
  int parent = -1;
  int socket = 0;
};

class ComputerReader final {
 public:
  ComputerReader(const Device& server, const Infrastructure& all) : server_(server), all_(all) {}
  Inventory read();

 private:
  Kind kind_of(const std::string& component) const {
    const auto found = server_.components.find(component);
    return found == server_.components.end() ? Kind::other : found->second.kind;
  }
  bool is_bond(const Edge& edge) const;
  void add_card_of_instance(const Edge& edge);
  void find_parts();
  void walk(const Part& from, Place place);
  void visit(const Part& part, Place place, const std::string& link);
  void walk_all();
  void add_bonds();
  PcieRate rate_of_link(const std::string& name) const;
  void describe();

  const Device& server_;
  const Infrastructure& all_;
  Inventory out_;
  std::map<Part, Kind> parts_;
  std::map<Part, std::vector<std::pair<Part, std::string>>> joined_;  // by PCIe, with the link
  std::map<Part, Place> places_;                                      // of parts that were visited
  std::map<Part, int> devices_;
  bool without_cpu_ = false;
};

bool ComputerReader::is_bond(const Edge& edge) const {
  const Kind a = kind_of(edge.a.component), b = kind_of(edge.b.component);
  const auto fast = [](Kind one, Kind other) {
    return one == Kind::gpu && (other == Kind::gpu || other == Kind::nvswitch);
  };
  return fast(a, b) || fast(b, a) || a == Kind::nvswitch || b == Kind::nvswitch;
}

/// A card that is an instance of its own and joined to a part of the server.
void ComputerReader::add_card_of_instance(const Edge& edge) {
  for (const auto& [inside, outside] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)}) {
    const Kind kind = kind_of(inside.component);
    const bool holds = kind == Kind::pcie_switch || kind == Kind::slot || kind == Kind::cpu;
    const auto instance = all_.instances.find(outside.instance);
    if (!holds || inside.instance_number != 0 || instance == all_.instances.end()) continue;
    if (instance->second.device == server_.name) continue;
    const Part card{outside.instance, outside.instance_number},
        holder{inside.component, inside.number};
    parts_[card] = Kind::nic;
    joined_[holder].emplace_back(card, edge.link);
    return;
  }
}

void ComputerReader::find_parts() {
  for (const auto& [name, component] : server_.components) {
    for (int i = 0; i < component.count; ++i) parts_[{name, i}] = component.kind;
  }
  for (const Edge& edge : server_.edges) {
    const Part a{edge.a.component, edge.a.number}, b{edge.b.component, edge.b.number};
    for (const Part& part : {a, b}) {
      if (!server_.components.contains(part.first)) {
        throw SpecError(edge.at,
                        "device " + quote(server_.name) + " has no component " + quote(part.first));
      }
      parts_[part] = kind_of(part.first);
    }
    if (is_bond(edge)) continue;
    joined_[a].emplace_back(b, edge.link);
    joined_[b].emplace_back(a, edge.link);
  }
  for (const Edge& edge : all_.edges) add_card_of_instance(edge);
}

PcieRate ComputerReader::rate_of_link(const std::string& name) const {
  for (const auto* links : {&server_.links, &all_.links}) {
    const auto link = links->find(name);
    if (link == links->end()) continue;
    const bool rated = link->second.pcie.lanes > 0;
    return rated ? link->second.pcie : nearest_rate(link->second.bandwidth);
  }
  return {};
}

void ComputerReader::visit(const Part& part, Place place, const std::string& link) {
  const Kind kind = parts_.at(part);
  if (kind == Kind::nvswitch || places_.contains(part)) return;
  const bool vertex = kind == Kind::gpu || kind == Kind::nic || kind == Kind::pcie_switch;
  if (vertex) {
    PciDevice device;
    device.kind = kind == Kind::gpu   ? PciDevice::Kind::gpu
                  : kind == Kind::nic ? PciDevice::Kind::nic
                                      : PciDevice::Kind::pcie_switch;
    device.parent = place.parent;
    device.socket = place.socket;
    device.rate = rate_of_link(link);
    if (kind == Kind::gpu) {
      device.order = part.second;
      device.driver_name = server_.components.at(part.first).description.substr(0, 64);
    } else {
      device.name = part.first + std::to_string(part.second);
    }
    devices_[part] = static_cast<int>(out_.devices.size());
    out_.devices.push_back(std::move(device));
  }
  places_[part] = place;
  if (places_.size() > kMostParts) {
    throw SpecError("paceline: error: device " + quote(server_.name) + " has more than " +
                    std::to_string(kMostParts) + " parts");
  }
  if (kind == Kind::pcie_switch) place.parent = devices_[part];
  if (kind != Kind::nic) walk(part, place);
}

/// Visits the parts that are joined to one; below a GPU there are only cards, which are its
/// neighbours here.
void ComputerReader::walk(const Part& from, Place place) {
  const bool gpu = parts_.at(from) == Kind::gpu;
  for (const auto& [part, link] : joined_[from]) {
    const Kind kind = parts_.at(part);
    if (kind == Kind::cpu || (gpu && kind != Kind::nic)) continue;
    visit(part, place, link);
  }
}

void ComputerReader::walk_all() {
  int sockets = 0;
  std::vector<Part> cpus;
  for (const auto& [part, kind] : parts_) {
    if (kind == Kind::cpu) cpus.push_back(part);
  }
  for (const Part& cpu : cpus) walk(cpu, {-1, sockets++});
  without_cpu_ = cpus.empty();
  out_.sockets = std::max(1, sockets);
  std::size_t loose = 0;
  for (const Kind kind : {Kind::pcie_switch, Kind::gpu, Kind::nic}) {
    for (const auto& [part, own] : parts_) {
      if (own != kind || places_.contains(part)) continue;
      visit(part, {}, "");
      ++loose;
    }
  }
  if (loose > 0 && !without_cpu_) {
    out_.notes.push_back(counted(loose, "part") +
                         " without a way to a CPU in the source: assumed on the first socket");
  }
}

void ComputerReader::add_bonds() {
  std::map<std::pair<int, int>, int> counts;
  std::string link;
  for (const Edge& edge : server_.edges) {
    Part a{edge.a.component, edge.a.number}, b{edge.b.component, edge.b.number};
    if (parts_.at(a) != Kind::gpu) std::swap(a, b);
    if (!is_bond(edge) || parts_.at(a) != Kind::gpu) continue;
    const bool switches = parts_.at(b) == Kind::nvswitch;
    const int from = devices_.at(a), to = switches ? Bond::kSwitch : devices_.at(b);
    ++counts[switches ? std::pair(from, to) : std::pair(std::min(from, to), std::max(from, to))];
    link = edge.link;
  }
  for (const auto& [ends, count] : counts) out_.bonds.push_back({ends.first, ends.second, count});
  const auto figures = server_.links.find(link);
  if (figures == server_.links.end() || figures->second.bandwidth.value() <= 0) return;
  LinkTypeSpec given;
  given.kind = LinkKind::nvlink;
  given.bandwidth = figures->second.bandwidth;
  given.source = "bandwidth: as an InfraGraph file says; no latency there";
  out_.bond_figures = std::move(given);
}

/// The link between sockets by the names of the processors and of their link.
void ComputerReader::describe() {
  out_.origin = "an InfraGraph file";
  out_.naming = "say so in the `description` of its component";
  std::string words;
  for (const auto& [name, component] : server_.components) {
    if (component.kind == Kind::cpu) words += " " + component.description;
  }
  for (const auto& [name, link] : server_.links) words += " " + link.description;
  const auto has = [&](std::string_view word) { return words.find(word) != std::string::npos; };
  if (has("AMD") || has("nfinity") || has("EPYC") || has("Epyc"))
    out_.socket_link = "infinity-fabric";
  if (has("QPI")) out_.socket_link = "qpi";
  if (has("UPI")) out_.socket_link = "upi";
  if (without_cpu_) out_.notes.push_back("CPUs: none in the source, assumed one socket");
}

Inventory ComputerReader::read() {
  find_parts();
  walk_all();
  add_bonds();
  describe();
  return std::move(out_);
}

}  // namespace

Inventory computer_of(const Device& server, const Infrastructure& all) {
  return ComputerReader(server, all).read();
}

}  // namespace paceline::infra
