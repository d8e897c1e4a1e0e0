// SPDX-License-Identifier: MIT
//
// A dimension joins the NPUs that differ in its coordinate alone: each NPU has links of its own in
// every dimension. In the network that is a card for each GPU of a computer, on rails.
#include "topology/import/astra_network.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "experiments/language/counted.hpp"
#include "experiments/language/value.hpp"
#include "topology/import/imported_links.hpp"

namespace paceline {
namespace {

constexpr double kGigabyte =
    1073741824;  // bytes: bw_GBps_to_Bpns of ASTRA-sim's analytical network
constexpr int kMostGpus = 256;
constexpr int kMostComputers = 262144;

enum class Building { ring, fully_connected, one_switch };

struct Dimension {
  Building shape = Building::one_switch;
  int npus = 1;
  BytesPerSecond bandwidth;  ///< of a link, each direction
  Seconds latency;           ///< of a link
  Location at;
};

/// The names of the keys in the files of one version.
struct Keys {
  const char *shapes, *npus, *bandwidth, *latency;
};
constexpr std::array<Keys, 2> kKeys{
    {{"topology", "npus_count", "bandwidth", "latency"},
     {"topologies-per-dim", "units-count", "link-bandwidth", "link-latency"}}};

/// Files without a network, by a key that each has.
constexpr std::array<const char*, 4> kOthers{"logical-dims", "all-reduce-implementation",
                                             "scheduling-policy", "memory-type"};

const Keys* keys_of_astra(const Tree& root) {
  const auto found = std::ranges::find_if(
      kKeys, [&](const Keys& keys) { return root.find(keys.npus) != nullptr; });
  return found == kKeys.end() ? nullptr : &*found;
}

double number_in(const Tree& item, double least, double most) {
  double value = 0;
  const char* end = item.text.data() + item.text.size();
  const auto [rest, error] = std::from_chars(item.text.data(), end, value);
  if (!item.is_scalar() || error != std::errc{} || rest != end || !(value >= least) ||
      !(value <= most)) {
    throw SpecError(item.at, quote(item) + " is not a number from " + print_number(least) + " to " +
                                 print_number(most));
  }
  return value;
}

Building shape_in(const Tree& item) {
  struct Name {
    const char* name;
    Building shape;
  };
  constexpr std::array<Name, 5> kNames{{{"Ring", Building::ring},
                                        {"FullyConnected", Building::fully_connected},
                                        {"AllToAll", Building::fully_connected},
                                        {"FullConnected", Building::fully_connected},
                                        {"Switch", Building::one_switch}}};
  for (const Name& row : kNames) {
    if (item.is_scalar() && item.text == row.name) return row.shape;
  }
  throw SpecError(item.at, quote(item) + " is not a shape (known: Ring, FullyConnected, Switch)");
}

/// The list at `key`, with one value for each dimension.
const std::vector<Tree>& values_at(const Tree& root, const char* key, std::size_t dimensions) {
  const Tree* list = root.find(key);
  if (list == nullptr) throw SpecError(root.at, "missing key '" + std::string(key) + "'");
  if (!list->is_list() || list->items.empty() ||
      (dimensions > 0 && list->items.size() != dimensions)) {
    throw SpecError(list->at, quote(key) + " is not a list with a value for each dimension");
  }
  return list->items;
}

std::vector<Dimension> dimensions_of(const Tree& root, const Keys& keys) {
  const std::vector<Tree>& shapes = values_at(root, keys.shapes, 0);
  const std::size_t n = shapes.size();
  const std::vector<Tree>& npus = values_at(root, keys.npus, n);
  const std::vector<Tree>& bandwidths = values_at(root, keys.bandwidth, n);
  const std::vector<Tree>& latencies = values_at(root, keys.latency, n);
  constexpr double kMostGigabytes = 1e5;
  constexpr double kLeastGigabytes = 1e-3;
  constexpr double kMostNanoseconds = 1e9;
  std::vector<Dimension> dimensions;
  for (std::size_t i = 0; i < n; ++i) {
    Dimension& one = dimensions.emplace_back();
    one.at = shapes[i].at;
    one.shape = shape_in(shapes[i]);
    one.npus = static_cast<int>(number_in(npus[i], 1, kMostComputers));
    one.bandwidth =
        BytesPerSecond{number_in(bandwidths[i], kLeastGigabytes, kMostGigabytes) * kGigabyte};
    one.latency = Seconds{number_in(latencies[i], 0, kMostNanoseconds) / 1e9};
  }
  return dimensions;
}

LinkTypeSpec link_of(LinkKind kind, BytesPerSecond bandwidth, Seconds latency) {
  LinkTypeSpec link;
  link.kind = kind;
  link.bandwidth = bandwidth;
  link.latency = latency;
  link.source = "as a network of ASTRA-sim says, which counts 2^30 B as 1 GB";
  return link;
}

/// The bandwidth of all links of an NPU in a dimension.
BytesPerSecond of_all_links(const Dimension& one) {
  const int links = one.shape == Building::one_switch ? 1
                    : one.shape == Building::ring     ? std::min(2, one.npus - 1)
                                                      : one.npus - 1;
  return one.bandwidth * std::max(1, links);
}

void add_bonds(const Dimension& first, Inventory& out) {
  const int n = first.npus;
  for (int i = 0; i < n && n > 1; ++i) {
    if (first.shape == Building::one_switch) {
      out.bonds.push_back({i, Bond::kSwitch, 1});
    } else if (first.shape == Building::ring) {
      if (n > 2 || i == 0) out.bonds.push_back({i, (i + 1) % n, 1});
    } else {
      for (int j = i + 1; j < n; ++j) out.bonds.push_back({i, j, 1});
    }
  }
}

Inventory computer_of(const Dimension& first) {
  if (first.npus > kMostGpus) {
    throw SpecError(first.at, "the first dimension has " + std::to_string(first.npus) +
                                  " NPUs, which are the GPUs of a computer (at most " +
                                  std::to_string(kMostGpus) + ")");
  }
  Inventory out;
  out.origin = "a network of ASTRA-sim";
  for (int i = 0; i < first.npus; ++i) {
    PciDevice gpu;
    gpu.order = i;
    if (first.npus > 1) gpu.nvlink_bandwidth = of_all_links(first);
    out.devices.push_back(std::move(gpu));
  }
  out.bond_figures = link_of(LinkKind::nvlink, first.bandwidth, first.latency);
  add_bonds(first, out);
  out.notes.push_back(
      "NPUs: GPUs; those of the first dimension are a computer, on one socket without switches of "
      "PCIe, which the source does not describe");
  if (first.shape == Building::ring && first.npus > 3) {
    out.notes.push_back("a ring joins neighbours: copies between other GPUs take PCIe here");
  }
  return out;
}

/// The bandwidth of a card that stands for the links of an NPU in a dimension.
BytesPerSecond card_of(const Dimension& one, std::vector<std::string>& notes) {
  if (one.shape == Building::one_switch) return one.bandwidth;
  if (one.shape == Building::ring) {
    notes.push_back(
        "a ring between computers: here a switch, with the bandwidth of one link of the "
        "ring");
    return one.bandwidth;
  }
  notes.push_back(
      "computers that are fully connected: here a switch, with the bandwidth of all links of an "
      "NPU");
  return of_all_links(one);
}

NetworkInventory network_of(const std::vector<Dimension>& dimensions) {
  constexpr std::size_t kMostDimensions = 4;
  if (dimensions.size() > kMostDimensions) {
    throw SpecError(dimensions[kMostDimensions].at,
                    "more than " + std::to_string(kMostDimensions) +
                        " dimensions (a network has leaves, pods and a core)");
  }
  NetworkInventory out;
  out.origin = "a network of ASTRA-sim";
  const Dimension& leaf = dimensions[1];
  double computers = 1;
  for (std::size_t i = 1; i < dimensions.size(); ++i) computers *= dimensions[i].npus;
  if (computers > kMostComputers) {
    throw SpecError(leaf.at, "more than " + std::to_string(kMostComputers) + " computers");
  }
  out.computers = static_cast<int>(computers);
  out.cards = dimensions[0].npus;
  const BytesPerSecond card = card_of(leaf, out.notes);
  const double hops = leaf.shape == Building::one_switch ? 1 : 2;  // links here for one there
  out.link = link_of(LinkKind::infiniband, card, leaf.latency / hops);
  out.oversubscription = 1;
  if (dimensions.size() == 2) {
    out.shape = out.cards > 1 ? NetworkShape::rails : NetworkShape::one_switch;
    return out;
  }
  out.shape = dimensions.size() == 3 ? NetworkShape::leaf_spine : NetworkShape::fat_tree;
  out.computers_per_leaf = leaf.npus;
  if (dimensions.size() == 4) out.leaves_per_pod = dimensions[2].npus;
  BytesPerSecond below = card;
  for (std::size_t i = 2; i < dimensions.size(); ++i) {
    const BytesPerSecond above = card_of(dimensions[i], out.notes);
    out.oversubscription = std::max(*out.oversubscription, below.value() / above.value());
    below = above;
  }
  out.notes.push_back(
      "dimensions above the second: levels of switches above leaves, with their bandwidth as "
      "oversubscription; they have the latency of the second");
  return out;
}

}  // namespace

bool is_astra_file(const Tree& root) {
  if (!root.is_map()) return false;
  return keys_of_astra(root) != nullptr ||
         std::ranges::any_of(kOthers, [&](const char* key) { return root.find(key) != nullptr; });
}

TopologySource source_of_astra(const Tree& root) {
  const Keys* keys = keys_of_astra(root);
  if (keys == nullptr) {
    throw SpecError(root.at,
                    "is a file of ASTRA-sim without bandwidths (give the one of the analytical "
                    "network: topology, npus_count, bandwidth, latency)");
  }
  const std::vector<Dimension> dimensions = dimensions_of(root, *keys);
  TopologySource source;
  source.computer = computer_of(dimensions.front());
  if (dimensions.size() > 1) source.network = network_of(dimensions);
  return source;
}

}  // namespace paceline
