// SPDX-License-Identifier: MIT
#include "topology/import/infragraph.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "topology/import/infragraph_computer.hpp"
#include "topology/import/infragraph_parts.hpp"
#include "topology/import/switch_graph.hpp"

namespace paceline {
namespace {

using namespace infra;

bool has_gpus(const Device& device) {
  return std::ranges::any_of(device.components,
                             [](const auto& row) { return row.second.kind == Kind::gpu; });
}

/// The device with GPUs; null if there is none. Throws SpecError for several.
const Device* server_of(const Infrastructure& all, const Location& at) {
  const Device* server = nullptr;
  for (const auto& [name, device] : all.devices) {
    if (!has_gpus(device)) continue;
    if (server != nullptr) {
      throw SpecError(at, "has several devices with GPUs, " + quote(server->name) + " and " +
                              quote(name) + " (leave one of them)");
    }
    server = &device;
  }
  return server;
}

bool contains_any(std::string text, std::initializer_list<std::string_view> words) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

/// The part that an instance is in a network.
enum class Role { computer, network_switch, other };

class NetworkReader final {
 public:
  NetworkReader(const Infrastructure& all, const Device* server) : all_(all), server_(server) {}
  SwitchGraph read();

 private:
  Role role_of(const std::string& instance) const;
  double gbit_of(const Edge& edge) const;

  const Infrastructure& all_;
  const Device* server_;
};

Role NetworkReader::role_of(const std::string& instance) const {
  const auto found = all_.instances.find(instance);
  if (found == all_.instances.end()) return Role::other;
  const std::string& device = found->second.device;
  if (server_ != nullptr && device == server_->name) return Role::computer;
  if (contains_any(instance + " " + device, {"switch", "sw", "leaf", "spine", "router"}))
    return Role::network_switch;
  return server_ == nullptr ? Role::computer : Role::other;
}

double NetworkReader::gbit_of(const Edge& edge) const {
  const auto link = all_.links.find(edge.link);
  constexpr double kBytesPerGbit = 1e9 / 8;
  return link == all_.links.end() ? 0 : link->second.bandwidth.value() / kBytesPerGbit;
}

SwitchGraph NetworkReader::read() {
  using Key = std::pair<std::string, int>;
  SwitchGraph graph;
  graph.origin = "an InfraGraph file";
  std::map<Key, int> computers, switches;
  const auto number = [](std::map<Key, int>& numbers, const End& end) {
    return numbers.try_emplace({end.instance, end.instance_number}, numbers.size()).first->second;
  };
  for (Edge edge : all_.edges) {
    if (role_of(edge.a.instance) == Role::network_switch) std::swap(edge.a, edge.b);
    if (role_of(edge.b.instance) != Role::network_switch) continue;
    const Role role = role_of(edge.a.instance);
    if (role == Role::other) continue;
    const int at = number(switches, edge.b);
    if (role == Role::computer) {
      graph.ports.push_back({number(computers, edge.a), at, gbit_of(edge)});
    } else {
      graph.trunks.push_back({number(switches, edge.a), at, gbit_of(edge)});
    }
  }
  graph.computers = static_cast<int>(computers.size());
  graph.switches = static_cast<int>(switches.size());
  return graph;
}

/// The network between several servers; nothing for one.
std::optional<NetworkInventory> network_in(const Infrastructure& all, const Device* server) {
  SwitchGraph graph = NetworkReader(all, server).read();
  if (!graph.ports.empty()) {
    NetworkInventory network = network_of(std::move(graph));
    if (network.gbit_per_s > 0) {
      network.notes.push_back(
          "link of the network: assumed InfiniBand of that speed (choose "
          "another with --link NAME)");
    }
    return network;
  }
  int servers = 0;
  for (const auto& [name, instance] : all.instances)
    servers += server != nullptr && instance.device == server->name ? instance.count : 0;
  if (servers < 2) return std::nullopt;
  NetworkInventory network;
  network.origin = "an InfraGraph file";
  network.computers = servers;
  network.notes.push_back("the source does not say how servers are joined: assumed by one switch");
  return network;
}

}  // namespace

bool is_infragraph(const Tree& root) {
  const Tree* inner = root.find("infrastructure");
  const Tree& all = inner == nullptr ? root : *inner;
  if (!all.is_map()) return false;
  const Tree* devices = all.find("devices");
  const Tree* instances = all.find("instances");
  const auto is_list = [](const Tree* value) { return value != nullptr && value->is_list(); };
  return is_list(devices) || (is_list(instances) &&
                              (all.find("connections") != nullptr || all.find("edges") != nullptr));
}

TopologySource source_of_infragraph(const Tree& root) {
  const Infrastructure all = infrastructure_of(root);
  const Device* server = server_of(all, root.at);
  TopologySource source;
  if (server != nullptr) source.computer = computer_of(*server, all);
  source.network = network_in(all, server);
  if (!source.computer && !source.network) {
    throw SpecError(root.at,
                    "has no device with GPUs (a component of type xpu) and no network of "
                    "instances: nothing to import");
  }
  return source;
}

}  // namespace paceline
