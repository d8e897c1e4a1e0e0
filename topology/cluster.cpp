// SPDX-License-Identifier: MIT
#include "topology/cluster.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "experiments/language/changed_document.hpp"
#include "experiments/language/counted.hpp"
#include "topology/import/imported_links.hpp"
#include "topology/machine.hpp"
#include "topology/staging.hpp"

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
  Expansion(const MachineSpec& cluster, Expanded nodes, Diagnostics& diagnostics)
      : cluster_(cluster), nodes_(nodes), diagnostics_(diagnostics) {}

  ExpandedCluster expand();

 private:
  void add_nodes(const Tree& of, int count);
  void add_node(const MachineSpec& node, const NodeSpec& figures, const Location& at);
  void add_device(VertexKind kind, const NameAt& name) {
    spec_.vertices.push_back({kind, {name}});
    devices_.push_back({ClusterPart::Kind::device, node(), devices_of_node_++});
  }
  void add_row(LinksSpec row, const ClusterPart& part) {
    spec_.links.push_back(std::move(row));
    out_.rows.push_back(part);
  }
  ClusterPart inner() const { return {ClusterPart::Kind::inner, node(), 0}; }
  /// The node that is being expanded; after the last, their number.
  int node() const { return static_cast<int>(spec_.computers.size()); }
  /// The leaf of a node, and the pod of a leaf.
  int leaf_of(int node) const {
    if (nodes_ == Expanded::sample)
      return kSampleLeaves[static_cast<std::size_t>(node % kSampleNodes)];
    return node / network().nodes_per_leaf;
  }
  int pod_of(int leaf) const {
    if (nodes_ == Expanded::sample) return kSamplePods[static_cast<std::size_t>(leaf)];
    return leaf / network().leaves_per_pod;
  }
  NameAt renamed(const NameAt& name) const;
  std::string renamed(const std::string& name) const;
  std::string type_of(const std::string& name) const {
    return "k" + std::to_string(kind_) + "." + name;
  }
  /// Of host memory; no name of a user's has a blank.
  std::string type_of_memory() const { return type_of("host memory"); }
  std::vector<NameAt> cards_of(const MachineSpec& node, const Location& at);
  std::vector<NameAt> new_cards(const MachineSpec& node, const Location& at);
  void add_network();
  bool read_wire();
  NameAt add_switch(const std::string& name, ClusterPart::Kind kind, int number);
  void join(const char* type, const NameAt& above, const NameAt& below, const ClusterPart& part) {
    add_row({{type, above.at}, above, {below}}, part);
  }
  void join_cards(const NameAt& above, int node);
  void add_uplinks(const char* type, double cards);
  void add_leaves();
  void add_rails();
  const NetworkSpec& network() const { return cluster_.network->network; }

  const MachineSpec& cluster_;
  Expanded nodes_;
  Diagnostics& diagnostics_;
  ExpandedCluster out_;
  MachineSpec& spec_ = out_.spec;
  std::vector<ClusterPart> sockets_of_nodes_, devices_, switches_;
  Location at_;   ///< of the network
  int kind_ = 0;  ///< of node
  int nodes_in_all_ = 0;
  int gpus_ = 0, sockets_ = 0;  ///< of the nodes before
  int devices_of_node_ = 0;
  std::vector<std::vector<NameAt>> cards_;  ///< by node
};

bool is_dotted(std::string_view name) {
  return name.find("..") != std::string_view::npos;
}

std::string Expansion::renamed(const std::string& name) const {
  if (const auto gpu = number_behind("gpu", name)) return "gpu" + std::to_string(*gpu + gpus_);
  if (const auto cpu = number_behind("cpu", name)) return "cpu" + std::to_string(*cpu + sockets_);
  return "n" + std::to_string(node()) + "." + name;
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
  std::vector<NameAt> made;
  for (int card = 0; card < std::max(1, network().cards); ++card) {
    const NameAt name{renamed("nic" + std::to_string(card)), at};
    const std::string socket = "cpu" + std::to_string(sockets_ + card % node.host.sockets);
    made.push_back(name);
    add_device(VertexKind::nic, name);
    add_row({{type_of(row->type.text), at}, {socket, at}, {name}}, inner());
  }
  return made;
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

void Expansion::add_node(const MachineSpec& node, const NodeSpec& figures, const Location& at) {
  devices_of_node_ = 0;
  for (const GpusSpec& row : node.gpus) {
    spec_.gpus.push_back(row);
    spec_.gpus.back().price = node.price;
  }
  const int number = this->node();
  for (int gpu = 0; gpu < figures.gpus; ++gpu)
    out_.vertices.push_back({ClusterPart::Kind::gpu, number, gpu});
  for (int socket = 0; socket < node.host.sockets; ++socket)
    sockets_of_nodes_.push_back({ClusterPart::Kind::socket, number, socket});
  for (const VerticesSpec& row : node.vertices) {
    for (const NameAt& name : row.names) add_device(row.kind, renamed(name));
  }
  for (const LinksSpec& row : node.links) {
    LinksSpec copy{{type_of(row.type.text), row.type.at}, renamed(row.from), {}, row.count, false};
    for (const NameAt& name : row.to) copy.to.push_back(renamed(name));
    add_row(std::move(copy), inner());
  }
  if (spec_.link_types.contains(type_of_memory())) {
    const NameAt socket{"cpu" + std::to_string(sockets_), at};
    add_row({{type_of_memory(), at}, socket, {socket}, 1, true}, inner());
  }
  for (const std::vector<NameAt>& pair : node.peer_pairs) {
    std::vector<NameAt>& copy = spec_.peer_pairs.emplace_back();
    for (const NameAt& name : pair) copy.push_back(renamed(name));
  }
  cards_.push_back(cards_of(node, at));
  spec_.computers.push_back(figures);
  gpus_ += figures.gpus;
  sockets_ += node.host.sockets;
}

void Expansion::add_nodes(const Tree& of, int count) {
  const MachineSpec node = load_machine_spec(of);
  if (is_cluster(node)) {
    diagnostics_.error(of.at, "a node is one computer, not a cluster");
    return;
  }
  for (const auto& [name, type] : node.link_types) spec_.link_types[type_of(name)] = type;
  const NodeSpec figures = node_of(node);
  if (auto memory = staging_link(figures)) spec_.link_types[type_of_memory()] = std::move(*memory);
  const int expanded = nodes_ == Expanded::all      ? count
                       : nodes_ == Expanded::sample ? kSampleNodes
                                                    : 1;
  for (int i = 0; i < expanded; ++i) add_node(node, figures, of.at);
  out_.runs.push_back({count, spec_.computers.back().gpus, node.host.sockets, devices_of_node_, 0,
                       static_cast<int>(cards_.back().size())});
  nodes_in_all_ += count;
  ++kind_;
}

NameAt Expansion::add_switch(const std::string& name, ClusterPart::Kind kind, int number) {
  spec_.vertices.push_back({VertexKind::network_switch, {{name, at_}}});
  switches_.push_back({kind, number, 0});
  return {name, at_};
}

/// Links the cards of a node to its switch.
void Expansion::join_cards(const NameAt& above, int node) {
  const std::vector<NameAt>& cards = cards_[static_cast<std::size_t>(node)];
  for (std::size_t card = 0; card < cards.size(); ++card)
    join("wire", above, cards[card], {ClusterPart::Kind::wire, node, static_cast<int>(card)});
}

/// The type of a link up from a switch with `cards` below it.
void Expansion::add_uplinks(const char* type, double cards) {
  LinkTypeSpec uplink = spec_.link_types.at("wire");
  uplink.bandwidth = uplink.bandwidth * (cards / network().oversubscription);
  spec_.link_types[type] = std::move(uplink);
}

void Expansion::add_leaves() {
  std::size_t most_cards = 0;
  for (const auto& cards : cards_) most_cards = std::max(most_cards, cards.size());
  const auto per_leaf = static_cast<std::size_t>(network().nodes_per_leaf);
  const auto per_pod = static_cast<std::size_t>(network().leaves_per_pod);
  const bool pods = network().kind == NetworkShape::fat_tree;
  const double below = static_cast<double>(per_leaf * most_cards);
  add_uplinks("up", below);
  const NameAt top = add_switch(pods ? "core" : "spine", ClusterPart::Kind::top, 0);
  if (pods) add_uplinks("up2", below * static_cast<double>(per_pod) / network().oversubscription);
  std::map<int, NameAt> pod_switches, leaf_switches;
  for (int node = 0; node < this->node(); ++node) {
    const int leaf = leaf_of(node), pod = pod_of(leaf);
    if (pods && !pod_switches.contains(pod)) {
      pod_switches[pod] = add_switch("pod" + std::to_string(pod), ClusterPart::Kind::pod, pod);
      join("up2", top, pod_switches[pod], {ClusterPart::Kind::above_pod, pod, 0});
    }
    if (!leaf_switches.contains(leaf)) {
      leaf_switches[leaf] =
          add_switch("leaf" + std::to_string(leaf), ClusterPart::Kind::leaf, leaf);
      join("up", pods ? pod_switches[pod] : top, leaf_switches[leaf],
           {ClusterPart::Kind::above_leaf, leaf, 0});
    }
    join_cards(leaf_switches[leaf], node);
  }
}

void Expansion::add_rails() {
  std::size_t rails = 0;
  for (const auto& cards : cards_) rails = std::max(rails, cards.size());
  add_uplinks("up", static_cast<double>(nodes_in_all_));
  const NameAt spine = rails > 1 ? add_switch("spine", ClusterPart::Kind::top, 0) : NameAt{};
  for (std::size_t rail = 0; rail < rails; ++rail) {
    const int number = static_cast<int>(rail);
    const NameAt above = add_switch("rail" + std::to_string(rail), ClusterPart::Kind::leaf, number);
    if (rails > 1) join("up", spine, above, {ClusterPart::Kind::above_leaf, number, 0});
    for (std::size_t node = 0; node < cards_.size(); ++node) {
      if (rail < cards_[node].size())
        join("wire", above, cards_[node][rail],
             {ClusterPart::Kind::wire, static_cast<int>(node), number});
    }
  }
}

/// The link between a card and its switch.
bool Expansion::read_wire() {
  const Tree& link = network().link;
  const Tree tree = load_changed(link, "link", embedded_links());
  LinkTypeSpec wire;
  if (!read_keys(wire, tree, diagnostics_)) return false;
  if (const std::string reason = unusable_between(wire.kind, network().sharp); !reason.empty()) {
    diagnostics_.error(link.at, reason);
    return false;
  }
  spec_.sharp = network().sharp;
  spec_.gpu_direct = network().gpu_direct.value_or(wire.kind != LinkKind::ethernet);
  spec_.link_types["wire"] = std::move(wire);
  return true;
}

void Expansion::add_network() {
  if (!read_wire()) return;
  switch (network().kind) {
    case NetworkShape::one_switch: {
      const NameAt only = add_switch("switch", ClusterPart::Kind::top, 0);
      for (int node = 0; node < this->node(); ++node) join_cards(only, node);
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

ExpandedCluster Expansion::expand() {
  spec_.title = cluster_.title;
  spec_.price = cluster_.price;
  at_ = network().link.at;
  if (cluster_.of) add_nodes(*cluster_.of, cluster_.count.value_or(1));
  for (const NodesSpec& row : cluster_.nodes) add_nodes(row.of, row.count);
  if (diagnostics_.count() == 0) add_network();
  if (spec_.computers.empty()) return out_;
  spec_.host = spec_.computers.front().host;
  spec_.host.sockets = sockets_;
  for (const auto* parts : {&sockets_of_nodes_, &devices_, &switches_})
    out_.vertices.insert(out_.vertices.end(), parts->begin(), parts->end());
  return out_;
}

}  // namespace

bool is_cluster(const MachineSpec& spec) {
  return spec.of || !spec.nodes.empty();
}

std::string name_of_cluster(const MachineSpec& cluster) {
  const auto name = [](const Tree& of) {
    if (of.is_scalar()) return std::filesystem::path(of.text).stem().string();
    return has_of(of) ? name_of_changed(of) : std::string("machine");
  };
  if (cluster.of) return std::to_string(cluster.count.value_or(1)) + " x " + name(*cluster.of);
  std::vector<std::string> parts;
  for (const NodesSpec& row : cluster.nodes)
    parts.push_back(std::to_string(row.count) + " x " + name(row.of));
  return join(parts, " + ");
}

std::string title_of_folded(const MachineSpec& cluster, const ClusterNumbering& whole) {
  const NetworkSpec& network = cluster.network->network;
  return (cluster.title.empty() ? "" : cluster.title + ": ") + counted(whole.nodes(), "node") +
         " with " + counted(whole.gpus(), "GPU") + ", " +
         Value<NetworkShape>::write(network.kind).text + " of " +
         (network.link.is_scalar() ? network.link.text : "links") +
         "; one node of each kind is drawn";
}

ExpandedCluster expand_cluster(const MachineSpec& cluster, Expanded nodes,
                               Diagnostics& diagnostics) {
  return Expansion(cluster, nodes, diagnostics).expand();
}

}  // namespace paceline
