// SPDX-License-Identifier: MIT
#include "topology/import/assemble_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/language/counted.hpp"
#include "topology/cluster.hpp"
#include "topology/import/imported_links.hpp"
#include "topology/import/machine_keys.hpp"

namespace paceline {
namespace {

constexpr double kBytesPerGbit = 1e9 / 8;

/// A preset with cards of this rate.
struct Guess {
  double gbit_per_s;
  const char* machine;
};
constexpr std::array<Guess, 5> kGuesses{{{56, "dgx1-p100"},
                                         {100, "dgx1-v100"},
                                         {200, "dgx-a100"},
                                         {400, "dgx-h100"},
                                         {800, "hgx-b200"}}};
constexpr double kUnknownRate = 400;  // Gbit/s, of the newest preset with cards of a public price

std::string guessed_machine(double gbit_per_s) {
  const double rate = gbit_per_s > 0 ? gbit_per_s : kUnknownRate;
  return std::ranges::min_element(
             kGuesses, {},
             [&](const Guess& guess) { return std::abs(std::log(guess.gbit_per_s / rate)); })
      ->machine;
}

class NetworkAssembly final {
 public:
  NetworkAssembly(NetworkInventory network, std::optional<ImportedMachine> computer,
                  const Assumptions& assumptions)
      : in_(std::move(network)), computer_(std::move(computer)), assumptions_(assumptions) {}
  ImportedMachine make();

 private:
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  Tree node();
  Tree named_node();
  Tree link();
  Tree link_of_rate();
  void set_cards(const MachineSpec& node, NetworkSpec& network);
  void set_shape(NetworkSpec& network);

  NetworkInventory in_;
  std::optional<ImportedMachine> computer_;
  const Assumptions& assumptions_;
  ImportedMachine out_;
};

/// The machine that the user names: a preset, or the contents of a file.
Tree NetworkAssembly::named_node() {
  const std::string& name = assumptions_.node;
  const bool path = name.find('/') != std::string::npos || name.ends_with(".yaml");
  const MachineSpec spec = load_machine_spec(Tree::scalar(name));
  if (is_cluster(spec)) {
    throw SpecError("paceline: error: --node: '" + name +
                    "' is a cluster (name the machine of one computer)");
  }
  return path ? machine_keys(spec) : Tree::scalar(name);
}

Tree NetworkAssembly::node() {
  if (computer_) {
    out_.notes.insert(out_.notes.end(), computer_->notes.begin(), computer_->notes.end());
    return machine_keys(computer_->spec);
  }
  if (!assumptions_.node.empty()) return named_node();
  const std::string name = in_.node.empty() ? guessed_machine(in_.gbit_per_s) : in_.node;
  const int each = in_.node.empty() ? 1 : in_.computers_per_node;
  const std::string what =
      each == 1 ? "computers" : "each " + counted(each, "computer") + " on a leaf or in a block";
  note(what + ": assumed " + name +
       (in_.node.empty() ? ", as the source does not say what is in them" : "") +
       " (choose another with --node MACHINE)");
  in_.computers /= each;
  in_.computers_per_leaf = std::max(1, in_.computers_per_leaf / each);
  return Tree::scalar(name);
}

/// The InfiniBand preset of this rate; if there is none, the nearest one with its bandwidth
/// changed.
Tree NetworkAssembly::link_of_rate() {
  const double wanted = in_.gbit_per_s * kBytesPerGbit;
  std::string nearest;
  double least = 0;
  for (const EmbeddedFile& preset : embedded_links()) {
    const LinkTypeSpec link = load_link(std::string(preset.name));
    if (link.kind != LinkKind::infiniband) continue;
    const double off = std::abs(std::log(link.bandwidth.value() / wanted));
    if (!nearest.empty() && off >= least) continue;
    nearest = preset.name;
    least = off;
  }
  constexpr double kSame = 0.05;  // FDR's 54.5 Gbit/s of data are sold as 56
  if (least < kSame) return Tree::scalar(nearest);
  LinkTypeSpec link = load_link(nearest);
  link.bandwidth = BytesPerSecond{wanted};
  link.source = "bandwidth: as " + in_.origin + " says; the rest assumed: " + link.source;
  return write_keys(link);
}

Tree NetworkAssembly::link() {
  if (!assumptions_.link.empty()) {
    const std::string& name = assumptions_.link;
    const LinkTypeSpec figures = load_link(name);
    if (!joins_computers(figures.kind)) {
      throw SpecError("paceline: error: --link: '" + name + "' is no link between computers");
    }
    const bool path = name.find('/') != std::string::npos || name.ends_with(".yaml");
    return path ? write_keys(figures) : Tree::scalar(name);
  }
  if (in_.link) return write_keys(*in_.link);
  if (in_.gbit_per_s > 0) return link_of_rate();
  if (!assumptions_.node.empty()) {
    if (const auto known = load_machine_spec(Tree::scalar(assumptions_.node)).cluster_network)
      return known->network.link;
  }
  const std::string name = "infiniband-ndr";
  note("link of the network: assumed " + name +
       ", as the source does not say it (choose another with --link NAME)");
  return Tree::scalar(name);
}

void NetworkAssembly::set_cards(const MachineSpec& node, NetworkSpec& network) {
  if (in_.cards == 0) return;
  int cards = 0;
  for (const VerticesSpec& row : node.vertices) {
    if (row.kind == VertexKind::nic) cards += static_cast<int>(row.names.size());
  }
  if (cards == in_.cards) return;
  constexpr int kMostCards = 64;
  if (cards == 0 || cards > in_.cards) {
    network.cards = std::min(in_.cards, kMostCards);
    return;
  }
  note("network cards: " + std::to_string(in_.cards) + " of a computer in the source, and its " +
       "machine has " + std::to_string(cards) + " (choose another with --node MACHINE)");
}

void NetworkAssembly::set_shape(NetworkSpec& network) {
  constexpr int kMost = 4096;
  network.kind = in_.shape;
  const bool pods = in_.shape == NetworkShape::fat_tree;
  if (pods || in_.shape == NetworkShape::leaf_spine) {
    network.nodes_per_leaf = std::clamp(in_.computers_per_leaf, 1, kMost);
  }
  if (pods) network.leaves_per_pod = std::clamp(in_.leaves_per_pod, 1, kMost);
  if (in_.shape == NetworkShape::one_switch) return;
  if (!in_.oversubscription) {
    note(
        "oversubscription: not in the source, assumed 1 (`oversubscription` of `network` says it)");
    return;
  }
  constexpr double kMostTimes = 1000;
  constexpr double kDigits = 1e3;
  network.oversubscription =
      std::min(std::round(*in_.oversubscription * kDigits) / kDigits, kMostTimes);
}

ImportedMachine NetworkAssembly::make() {
  constexpr int kMostComputers = 262144;
  if (in_.computers > kMostComputers) {
    throw SpecError("paceline: error: " + in_.origin + " has " + std::to_string(in_.computers) +
                    " computers (at most " + std::to_string(kMostComputers) + ")");
  }
  out_.notes = in_.notes;
  const Tree of = node();
  NetworkSpec network;
  network.link = link();
  set_cards(computer_ ? computer_->spec : load_machine_spec(of), network);
  set_shape(network);
  out_.spec.of = of;
  out_.spec.count = in_.computers;
  out_.spec.network = NetworkOrLink{network};
  out_.spec.title = "Cluster of " + in_.origin;
  return std::move(out_);
}

}  // namespace

ImportedMachine assemble_network(NetworkInventory network, std::optional<ImportedMachine> computer,
                                 const Assumptions& assumptions) {
  return NetworkAssembly(std::move(network), std::move(computer), assumptions).make();
}

}  // namespace paceline
