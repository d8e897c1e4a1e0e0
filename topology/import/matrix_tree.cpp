// SPDX-License-Identifier: MIT
//
// Builds a tree from distances: devices within a distance form a class of that level, as in
// single-linkage clustering. The matrix of a tree gives that tree back; any other matrix fails the
// comparison in import.cpp. NVLinks hide the PCIe distance of two GPUs. Unless other cells
// determine that distance, the GPUs are placed as near as the other cells allow, but not below a
// common switch.
#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "topology/import/cpu_set.hpp"
#include "topology/import/topo_matrix.hpp"

namespace paceline {
namespace {

// The most NVLinks of any GPU in the presets.
constexpr int kMostNvlinksOfAGpu = 18;
constexpr int kMostNodes = 64;

/// The number of a NUMA node; -1 if the text is not a number.
int number_of(const std::string& text) {
  int value = -1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end ? value : -1;
}

/// A partition of the rows into classes (union-find), with pairs of classes that must stay apart.
class Classes final {
 public:
  explicit Classes(std::size_t count) : above_(count), apart_(count, std::vector<bool>(count)) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t i) const {
    while (above_[i] != i) i = above_[i];
    return i;
  }
  bool same(std::size_t a, std::size_t b) const { return of(a) == of(b); }
  bool apart(std::size_t a, std::size_t b) const { return apart_[of(a)][of(b)]; }
  void set_apart(std::size_t a, std::size_t b) {
    apart_[of(a)][of(b)] = true;
    apart_[of(b)][of(a)] = true;
  }
  /// Joins two classes; the lower row represents both.
  void unite(std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax({of(a), of(b)});
    if (low == high) return;
    above_[high] = low;
    for (std::size_t i = 0; i < above_.size(); ++i) {
      if (!apart_[high][i]) continue;
      apart_[low][i] = true;
      apart_[i][low] = true;
    }
  }

 private:
  std::vector<std::size_t> above_;
  std::vector<std::vector<bool>> apart_;  // by the representative of each class
};

class TreeBuilder final {
 public:
  explicit TreeBuilder(const TopoMatrix& matrix)
      : matrix_(matrix),
        count_(matrix.rows.size()),
        switch_(at_most(Distance::one_switch)),
        switches_(at_most(Distance::several_switches)),
        bridge_(at_most(Distance::host_bridge)),
        socket_(at_most(Distance::socket)) {}
  Inventory build();

 private:
  const TopoMatrix::Row& row(std::size_t i) const { return matrix_.rows[i]; }
  Classes at_most(Distance distance) const;
  bool of_other_processors(std::size_t a, std::size_t b) const;
  void place_unknown();
  void add_devices();
  void add_bonds();
  void read_affinity();
  std::vector<std::size_t> members(const Classes& classes,
                                   const std::vector<std::size_t>& of) const;
  int add(PciDevice::Kind kind, int parent, int socket);
  void add_leaf(std::size_t i, int parent, int socket);
  void add_bridge(const std::vector<std::size_t>& devices, int parent, int socket);
  static std::vector<std::size_t> those(const Classes& classes, std::size_t one,
                                        const std::vector<std::size_t>& among);

  const TopoMatrix& matrix_;
  std::size_t count_;
  Classes switch_, switches_, bridge_, socket_;
  Inventory out_;
  std::vector<int> device_;  // by row
};

Classes TreeBuilder::at_most(Distance distance) const {
  Classes classes(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::optional<MatrixCell>& cell = row(i).cells[j];
      if (cell && cell->nvlinks == 0 && cell->distance <= distance) classes.unite(i, j);
    }
  }
  return classes;
}

bool TreeBuilder::of_other_processors(std::size_t a, std::size_t b) const {
  const auto differ = [](const std::string& x, const std::string& y) {
    return !x.empty() && !y.empty() && x != y;
  };
  // a single processor is the rest of a truncated list
  const bool lists = cores_in_list(row(a).cpus) > 0 && cores_in_list(row(b).cpus) > 0;
  return differ(row(a).numa, row(b).numa) || (lists && differ(row(a).cpus, row(b).cpus));
}

void TreeBuilder::place_unknown() {
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::optional<MatrixCell>& cell = row(i).cells[j];
      const bool known = cell && cell->nvlinks == 0;
      if ((known && cell->distance > Distance::socket) || of_other_processors(i, j)) {
        socket_.set_apart(i, j);
      }
      if (known && cell->distance > Distance::host_bridge) bridge_.set_apart(i, j);
    }
  }
  bool inferred = false;
  const auto unite_where_possible = [&](Classes& classes, const Classes* within) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (classes.same(i, j) || classes.apart(i, j)) continue;
        if (within != nullptr && !within->same(i, j)) continue;
        classes.unite(i, j);
        inferred = true;
      }
    }
  };
  unite_where_possible(socket_, nullptr);
  unite_where_possible(bridge_, &socket_);
  if (inferred) {
    out_.notes.push_back(
        "the matrix does not say where on PCIe some devices are (NVLinks hide it, or "
        "rows are missing): assumed below one host bridge, without a switch");
  }
}

int TreeBuilder::add(PciDevice::Kind kind, int parent, int socket) {
  PciDevice device;
  device.kind = kind;
  device.parent = parent;
  device.socket = socket;
  out_.devices.push_back(std::move(device));
  return static_cast<int>(out_.devices.size()) - 1;
}

void TreeBuilder::add_leaf(std::size_t i, int parent, int socket) {
  device_[i] = add(row(i).gpu ? PciDevice::Kind::gpu : PciDevice::Kind::nic, parent, socket);
  PciDevice& device = out_.devices.back();
  device.name = row(i).label;
  if (row(i).gpu) device.order = static_cast<int>(i);
  device.driver_name = row(i).model;
}

/// The first row of each class that has members among `of`.
std::vector<std::size_t> TreeBuilder::members(const Classes& classes,
                                              const std::vector<std::size_t>& of) const {
  std::vector<std::size_t> firsts;
  for (const std::size_t i : of) {
    const bool seen = std::any_of(firsts.begin(), firsts.end(),
                                  [&](std::size_t first) { return classes.same(first, i); });
    if (!seen) firsts.push_back(i);
  }
  return firsts;
}

std::vector<std::size_t> TreeBuilder::those(const Classes& classes, std::size_t one,
                                            const std::vector<std::size_t>& among) {
  std::vector<std::size_t> found;
  for (const std::size_t i : among) {
    if (classes.same(i, one)) found.push_back(i);
  }
  return found;
}

/// Adds the devices below one host bridge.
void TreeBuilder::add_bridge(const std::vector<std::size_t>& devices, int parent, int socket) {
  for (const std::size_t tree : members(switches_, devices)) {
    const std::vector<std::size_t> in_tree = those(switches_, tree, devices);
    const std::vector<std::size_t> switches = members(switch_, in_tree);
    const bool several = switches.size() > 1;
    const int root = several ? add(PciDevice::Kind::pcie_switch, parent, socket) : parent;
    for (const std::size_t one : switches) {
      const std::vector<std::size_t> below = those(switch_, one, in_tree);
      const bool shared = several || below.size() > 1;
      const int above = shared ? add(PciDevice::Kind::pcie_switch, root, socket) : root;
      for (const std::size_t i : below) add_leaf(i, above, socket);
    }
  }
}

void TreeBuilder::add_devices() {
  device_.assign(count_, -1);
  std::vector<std::size_t> all(count_);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> sockets = members(socket_, all);
  out_.sockets = static_cast<int>(sockets.size());
  for (std::size_t s = 0; s < sockets.size(); ++s) {
    const std::vector<std::size_t> here = those(socket_, sockets[s], all);
    const std::vector<std::size_t> bridges = members(bridge_, here);
    for (const std::size_t bridge : bridges) {
      const int socket = static_cast<int>(s);
      const int parent = bridges.size() > 1 ? add(PciDevice::Kind::host_bridge, -1, socket) : -1;
      add_bridge(those(bridge_, bridge, here), parent, socket);
    }
  }
}

/// GPUs are connected by NVSwitches if all pairs have the same number of NVLinks and a GPU cannot
/// have that many to each of the others; otherwise each cell is a bond.
void TreeBuilder::add_bonds() {
  Classes joined(count_);
  std::map<std::size_t, std::map<int, std::size_t>> counts;  // by class and number of NVLinks:
                                                             // number of cells
  const auto nvlinks = [&](std::size_t i, std::size_t j) {
    return row(i).cells[j] ? row(i).cells[j]->nvlinks : 0;
  };
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (nvlinks(i, j) > 0) joined.unite(i, j);
    }
  }
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (nvlinks(i, j) > 0) ++counts[joined.of(i)][nvlinks(i, j)];
    }
  }
  std::map<std::size_t, Bond> switched;  // by class: the bond of each of its GPUs
  for (const auto& [one, by_count] : counts) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < count_; ++i) size += joined.same(i, one) ? 1 : 0;
    const auto [links, cells] = *by_count.begin();
    const bool all_alike = by_count.size() == 1 && cells == size * (size - 1) / 2;
    if (all_alike && static_cast<int>(size - 1) * links > kMostNvlinksOfAGpu) {
      switched[one] = {0, Bond::kSwitch, links, static_cast<int>(switched.size())};
    }
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const auto found = switched.find(joined.of(i));
    if (found != switched.end()) {
      Bond bond = found->second;
      bond.from = device_[i];
      out_.bonds.push_back(bond);
      continue;
    }
    for (std::size_t j = i + 1; j < count_; ++j) {
      if (nvlinks(i, j) > 0) out_.bonds.push_back({device_[i], device_[j], nvlinks(i, j)});
    }
  }
}

/// Reads the cores per socket and the fraction of a real socket that they are. NUMA nodes count as
/// sockets.
void TreeBuilder::read_affinity() {
  int highest = out_.sockets - 1;  // highest NUMA node
  for (std::size_t i = 0; i < count_; ++i) {
    highest = std::max(highest, std::min(number_of(row(i).numa), kMostNodes - 1));
    out_.cores = std::max(out_.cores, cores_in_list(row(i).cpus));
  }
  if (out_.sockets > 2) out_.socket_share = share_of_socket(highest + 1);
}

Inventory TreeBuilder::build() {
  out_.origin = "an nvidia-smi matrix";
  out_.socket_link = matrix_.old_legend ? "qpi" : "upi";
  out_.naming = "put what `nvidia-smi -L` prints above the matrix";
  out_.notes = matrix_.notes;
  place_unknown();
  add_devices();
  add_bonds();
  read_affinity();
  return std::move(out_);
}

}  // namespace

Inventory inventory_of(const TopoMatrix& matrix) {
  const bool any = std::any_of(matrix.rows.begin(), matrix.rows.end(),
                               [](const TopoMatrix::Row& row) { return row.gpu; });
  if (!any) throw SpecError("paceline: error: the matrix has no GPU (columns GPU0, GPU1, ...)");
  return TreeBuilder(matrix).build();
}

std::vector<std::size_t> rows_in_machine(const TopoMatrix& matrix, const Inventory& inventory) {
  std::vector<std::size_t> order(matrix.rows.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (matrix.rows[i].gpu) order[i] = next++;
  }
  for (const PciDevice& device : inventory.devices) {  // network cards in the order of the tree
    if (device.kind != PciDevice::Kind::nic) continue;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!matrix.rows[i].gpu && matrix.rows[i].label == device.name) order[i] = next++;
    }
  }
  return order;
}

}  // namespace paceline
