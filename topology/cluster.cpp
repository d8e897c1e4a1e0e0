// SPDX-License-Identifier: MIT
#include "topology/cluster.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "experiments/language/counted.hpp"
#include "topology/import/imported_links.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

/// The number behind `stem`: 3 of "gpu3".
std::optional<int> number_behind(std::string_view stem, std::string_view name) {
  int number = 0;
  const char* end = name.data() + name.size();
  if (!name.starts_with(stem) || name.size() == stem.size()) return std::nullopt;
  const auto [rest, error] = std::from_chars(name.data() + stem.size(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

class Expansion {
 public:
  Expansion(const MachineSpec& cluster, bool folded, Diagnostics& diagnostics)
      : cluster_(cluster), folded_(folded), diagnostics_(diagnostics) {}

  MachineSpec expand();

 private:
  void add_nodes(const Tree& of, int count);
  void add_node(const MachineSpec& node, const Location& at);
  NameAt renamed(const NameAt& name) const;
  std::string renamed(const std::string& name) const;
  std::string type_of(const std::string& name) const {
    return "k" + std::to_string(kind_) + "." + name;
  }
  std::vector<NameAt> cards_of(const MachineSpec& node, const Location& at);
  std::vector<NameAt> new_cards(const MachineSpec& node, const Location& at);
  void add_network();
  bool read_wire();
  NameAt add_switch(const std::string& name);
  void join(const char* type, const NameAt& above, const NameAt& below) {
    out_.links.push_back({{type, above.at}, above, {below}});
  }
  void add_uplinks(const char* type, double cards);
  void add_leaves();
  void add_rails();
  const NetworkSpec& network() const { return cluster_.network->network; }

  const MachineSpec& cluster_;
  bool folded_;
  Diagnostics& diagnostics_;
  MachineSpec out_;
  Location at_;   ///< of the network
  int kind_ = 0;  ///< of node
  int gpus_ = 0, sockets_ = 0;
  std::vector<std::vector<NameAt>> cards_;  ///< by node
};

bool is_dotted(std::string_view name) {
  return name.find("..") != std::string_view::npos;
}

std::string Expansion::renamed(const std::string& name) const {
  if (const auto gpu = number_behind("gpu", name)) return "gpu" + std::to_string(*gpu + gpus_);
  if (const auto cpu = number_behind("cpu", name)) return "cpu" + std::to_string(*cpu + sockets_);
  return "n" + std::to_string(out_.computers.size()) + "." + name;
}

NameAt Expansion::renamed(const NameAt& name) const {
  if (!is_dotted(name.text)) return {renamed(name.text), name.at};
  const std::size_t dots = name.text.find("..");
  return {renamed(name.text.substr(0, dots)) + ".." + renamed(name.text.substr(dots + 2)), name.at};
}

/// Network cards for a node that describes none: on its sockets in turn, over the link of its first
/// device.
std::vector<NameAt> Expansion::new_cards(const MachineSpec& node, const Location& at) {
  const auto row = std::find_if(node.links.begin(), node.links.end(), [&](const LinksSpec& one) {
    const auto type = node.link_types.find(one.type.text);
    return type != node.link_types.end() && type->second.kind == LinkKind::pcie;
  });
  if (row == node.links.end()) {
    diagnostics_.error(at,
                       "the node has no network card, and no PCIe link to put one on (describe "
                       "a vertex of kind 'nic')");
    return {};
  }
  VerticesSpec made{VertexKind::nic, {}};
  for (int card = 0; card < std::max(1, network().cards); ++card) {
    const NameAt name{renamed("nic" + std::to_string(card)), at};
    const std::string socket = "cpu" + std::to_string(sockets_ + card % node.host.sockets);
    made.names.push_back(name);
    out_.links.push_back({{type_of(row->type.text), at}, {socket, at}, {name}});
  }
  out_.vertices.push_back(made);
  return made.names;
}

std::vector<NameAt> Expansion::cards_of(const MachineSpec& node, const Location& at) {
  std::vector<NameAt> cards;
  for (const VerticesSpec& row : node.vertices) {
    if (row.kind != VertexKind::nic) continue;
    for (const NameAt& name : row.names) cards.push_back(renamed(name));
  }
  if (cards.empty()) return new_cards(node, at);
  const auto wanted = static_cast<std::size_t>(network().cards);
  if (wanted > cards.size()) {
    diagnostics_.error(at_, "'cards' is " + std::to_string(wanted) + ", and a node has " +
                                std::to_string(cards.size()));
  } else if (wanted > 0) {
    cards.resize(wanted);
  }
  return cards;
}

void Expansion::add_node(const MachineSpec& node, const Location& at) {
  int gpus = 0;
  for (const GpusSpec& row : node.gpus) {
    out_.gpus.push_back(row);
    gpus += row.count;
  }
  for (const VerticesSpec& row : node.vertices) {
    VerticesSpec copy{row.kind, {}};
    for (const NameAt& name : row.names) copy.names.push_back(renamed(name));
    out_.vertices.push_back(std::move(copy));
  }
  for (const LinksSpec& row : node.links) {
    LinksSpec copy{{type_of(row.type.text), row.type.at}, renamed(row.from), {}, row.count};
    for (const NameAt& name : row.to) copy.to.push_back(renamed(name));
    out_.links.push_back(std::move(copy));
  }
  for (const std::vector<NameAt>& pair : node.peer_pairs) {
    std::vector<NameAt>& copy = out_.peer_pairs.emplace_back();
    for (const NameAt& name : pair) copy.push_back(renamed(name));
  }
  cards_.push_back(cards_of(node, at));
  out_.computers.push_back({node.host, node.peer_access, node.copies, gpus});
  gpus_ += gpus;
  sockets_ += node.host.sockets;
}

void Expansion::add_nodes(const Tree& of, int count) {
  const MachineSpec node = load_machine_spec(of);
  if (is_cluster(node)) {
    diagnostics_.error(of.at, "a node is one computer, not a cluster");
    return;
  }
  for (const auto& [name, type] : node.link_types) out_.link_types[type_of(name)] = type;
  for (int i = 0; i < (folded_ ? 1 : count); ++i) add_node(node, of.at);
  ++kind_;
}

NameAt Expansion::add_switch(const std::string& name) {
  out_.vertices.push_back({VertexKind::network_switch, {{name, at_}}});
  return {name, at_};
}

/// The type of a link up from a switch with `cards` below it.
void Expansion::add_uplinks(const char* type, double cards) {
  LinkTypeSpec uplink = out_.link_types.at("wire");
  uplink.bandwidth = uplink.bandwidth * (cards / network().oversubscription);
  out_.link_types[type] = std::move(uplink);
}

void Expansion::add_leaves() {
  std::size_t most_cards = 0;
  for (const auto& cards : cards_) most_cards = std::max(most_cards, cards.size());
  const auto per_leaf = static_cast<std::size_t>(network().nodes_per_leaf);
  const auto per_pod = static_cast<std::size_t>(network().leaves_per_pod);
  const bool pods = network().kind == NetworkShape::fat_tree;
  const double below = static_cast<double>(per_leaf * most_cards);
  add_uplinks("up", below);
  const NameAt top = add_switch(pods ? "core" : "spine");
  NameAt pod = top;
  NameAt leaf = top;
  if (pods) add_uplinks("up2", below * static_cast<double>(per_pod) / network().oversubscription);
  for (std::size_t node = 0; node < cards_.size(); ++node) {
    const std::size_t leaf_number = node / per_leaf;
    if (node % per_leaf == 0) {
      if (pods && leaf_number % per_pod == 0) {
        pod = add_switch("pod" + std::to_string(leaf_number / per_pod));
        join("up2", top, pod);
      }
      leaf = add_switch("leaf" + std::to_string(leaf_number));
      join("up", pod, leaf);
    }
    for (const NameAt& card : cards_[node]) join("wire", leaf, card);
  }
}

void Expansion::add_rails() {
  std::size_t rails = 0;
  for (const auto& cards : cards_) rails = std::max(rails, cards.size());
  add_uplinks("up", static_cast<double>(cards_.size()));
  const NameAt spine = rails > 1 ? add_switch("spine") : NameAt{};
  for (std::size_t number = 0; number < rails; ++number) {
    const NameAt rail = add_switch("rail" + std::to_string(number));
    if (rails > 1) join("up", spine, rail);
    for (const auto& cards : cards_) {
      if (number < cards.size()) join("wire", rail, cards[number]);
    }
  }
}

/// The link between a card and its switch.
bool Expansion::read_wire() {
  const Tree& link = network().link;
  const Tree tree = link.is_map() ? link : load_preset_or_path(link, "link", embedded_links());
  LinkTypeSpec wire;
  if (!read_keys(wire, tree, diagnostics_)) return false;
  if (!joins_computers(wire.kind)) {
    diagnostics_.error(link.at,
                       "a network's link is of kind ethernet, roce, infiniband or omni-path");
    return false;
  }
  out_.gpu_direct = network().gpu_direct.value_or(wire.kind != LinkKind::ethernet);
  out_.link_types["wire"] = std::move(wire);
  return true;
}

void Expansion::add_network() {
  if (!read_wire()) return;
  switch (network().kind) {
    case NetworkShape::one_switch: {
      const NameAt only = add_switch("switch");
      for (const auto& cards : cards_) {
        for (const NameAt& card : cards) join("wire", only, card);
      }
      return;
    }
    case NetworkShape::leaf_spine:
    case NetworkShape::fat_tree:
      add_leaves();
      return;
    case NetworkShape::rails:
      add_rails();
      return;
  }
}

MachineSpec Expansion::expand() {
  out_.title = cluster_.title;
  out_.price = cluster_.price;
  at_ = network().link.at;
  if (cluster_.of) add_nodes(*cluster_.of, cluster_.count.value_or(1));
  for (const NodesSpec& row : cluster_.nodes) add_nodes(row.of, row.count);
  if (diagnostics_.count() == 0) add_network();
  if (out_.computers.empty()) return out_;
  out_.host = out_.computers.front().host;
  out_.host.sockets = sockets_;
  return out_;
}

}  // namespace

bool is_cluster(const MachineSpec& spec) {
  return spec.of || !spec.nodes.empty();
}

std::string name_of_cluster(const MachineSpec& cluster) {
  const auto name = [](const Tree& of) {
    return of.is_scalar() ? std::filesystem::path(of.text).stem().string() : std::string("machine");
  };
  if (cluster.of) return std::to_string(cluster.count.value_or(1)) + " x " + name(*cluster.of);
  std::vector<std::string> parts;
  for (const NodesSpec& row : cluster.nodes)
    parts.push_back(std::to_string(row.count) + " x " + name(row.of));
  return join(parts, " + ");
}

std::string title_of_folded(const MachineSpec& cluster, const MachineSpec& whole) {
  const NetworkSpec& network = cluster.network->network;
  int gpus = 0;
  for (const NodeSpec& computer : whole.computers) gpus += computer.gpus;
  return (cluster.title.empty() ? "" : cluster.title + ": ") +
         counted(whole.computers.size(), "node") + " with " + counted(gpus, "GPU") + ", " +
         Value<NetworkShape>::write(network.kind).text + " of " +
         (network.link.is_scalar() ? network.link.text : "links") +
         "; one node of each kind is drawn";
}

MachineSpec expand_cluster(const MachineSpec& cluster, bool folded, Diagnostics& diagnostics) {
  return Expansion(cluster, folded, diagnostics).expand();
}

}  // namespace paceline
