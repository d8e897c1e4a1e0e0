// SPDX-License-Identifier: MIT
#include "topology/import/switch_tree.hpp"

#include <algorithm>

#include "topology/import/host_list.hpp"

namespace paceline {
namespace {

constexpr std::size_t kTraysOfNvl72 =
    18;  // compute trays of four GPUs: topology/machines/gb200-nvl72.yaml
constexpr std::size_t kMostComputers = 262144;

std::set<std::string> set_of(const std::string& list, const Location& at) {
  const std::vector<std::string> hosts = hosts_of(list, at);
  return {hosts.begin(), hosts.end()};
}

}  // namespace

void SwitchTree::add_switch(const std::string& name, const std::string& switches,
                            const std::string& nodes, const Location& at) {
  const std::string shown = quote(std::string_view(name).substr(0, 64));
  if (switches.empty() && nodes.empty())
    throw SpecError(at, "switch " + shown + " has neither switches nor nodes below it");
  if (!switches.empty() && !nodes.empty())
    throw SpecError(at, "switch " + shown + " has switches and nodes below it (one of them)");
  Switch row{at, hosts_of(switches, at), set_of(nodes, at)};
  if (!switches_.emplace(name, std::move(row)).second)
    throw SpecError(at, "switch " + shown + " is there twice");
}

void SwitchTree::add_block(const std::string& nodes, const Location& at) {
  blocks_.push_back(set_of(nodes, at));
  if (blocks_.back().empty()) throw SpecError(at, "a block has no nodes");
}

/// The graph with each computer's card on its switch.
SwitchGraph SwitchTree::graph(const std::string& origin) const {
  SwitchGraph graph;
  graph.origin = origin;
  std::map<std::string, int> numbers, computers;
  for (const auto& [name, row] : switches_) numbers.emplace(name, graph.switches++);
  const auto number = [&](const std::string& name, const Location& at) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) {
      throw SpecError(
          at, "switch " + quote(std::string_view(name).substr(0, 64)) + " is not in the file");
    }
    return found->second;
  };
  const auto add = [&](const std::set<std::string>& nodes, int at) {
    for (const std::string& node : nodes) {
      const auto [row, added] = computers.emplace(node, graph.computers);
      if (added) ++graph.computers;
      graph.ports.push_back({row->second, at});
    }
  };
  for (const auto& [name, row] : switches_) {
    for (const std::string& below : row.below)
      graph.trunks.push_back({numbers.at(name), number(below, row.at)});
    add(row.nodes, numbers.at(name));
  }
  return graph;
}

/// Blocks alone: leaves of a network of which the source says no more.
NetworkInventory SwitchTree::network_of_blocks(const std::string& origin) const {
  SwitchGraph graph;
  graph.origin = origin;
  for (const std::set<std::string>& block : blocks_) {
    for (std::size_t i = 0; i < block.size(); ++i)
      graph.ports.push_back({graph.computers++, graph.switches});
    ++graph.switches;
  }
  return network_of(std::move(graph));
}

NetworkInventory SwitchTree::network(const std::string& origin, const Location& file) const {
  std::size_t ports = 0;
  for (const auto& [name, row] : switches_) ports += row.nodes.size();
  for (const std::set<std::string>& block : blocks_) ports += block.size();
  if (ports > kMostComputers) throw SpecError(file, "has too many computers (at most 262144)");
  SwitchGraph all = graph(origin);
  if (all.ports.empty() && blocks_.empty()) throw SpecError(file, "no computer in " + origin);
  const bool switches = !all.ports.empty();
  NetworkInventory network = switches ? network_of(std::move(all)) : network_of_blocks(origin);
  network.cards = 0;
  network.oversubscription.reset();
  const bool domains = !blocks_.empty() && std::ranges::all_of(blocks_, [](const auto& block) {
    return block.size() == kTraysOfNvl72;
  });
  if (domains) {
    network.node = "gb200-nvl72";
    network.computers_per_node = kTraysOfNvl72;
  } else if (!blocks_.empty()) {
    network.notes.push_back(
        "blocks of computers are in the source: a network of their own, such "
        "as NVLink between computers, is not imported");
  }
  return network;
}

}  // namespace paceline
