// SPDX-License-Identifier: MIT
#include "topology/import/switch_graph.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "experiments/language/counted.hpp"
#include "experiments/language/value.hpp"

namespace paceline {
namespace {

/// Disjoint sets of the numbers below a bound.
class Sets final {
 public:
  explicit Sets(int count) : above_(static_cast<std::size_t>(count)) {
    std::iota(above_.begin(), above_.end(), 0);
  }
  int set_of(int one) {
    while (above(one) != one) one = above(one) = above(above(one));
    return one;
  }
  void join(int a, int b) { above(set_of(a)) = set_of(b); }

 private:
  int& above(int one) { return above_[static_cast<std::size_t>(one)]; }
  std::vector<int> above_;
};

/// "7 to 8", or "8" if both are.
std::string range(int least, int most) {
  return (least == most ? "" : std::to_string(least) + " to ") + std::to_string(most);
}

/// The number that most of `counts` have.
int usual(const std::map<int, int>& counts) {
  std::map<int, int> times;
  for (const auto& [key, count] : counts) ++times[count];
  const auto most = std::ranges::max_element(
      times, {}, [](const auto& row) { return std::pair(row.second, row.first); });
  return most == times.end() ? 1 : most->first;
}

class Shape final {
 public:
  explicit Shape(SwitchGraph graph)
      : in_(std::move(graph)), leaves_(in_.switches), pods_(in_.switches) {}
  NetworkInventory find();

 private:
  int& level(int at) { return levels_[static_cast<std::size_t>(at)]; }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  void find_levels();
  void find_leaves();
  void find_pods();
  void choose();
  void find_oversubscription();

  SwitchGraph in_;
  NetworkInventory out_;
  std::vector<int> levels_;           // by switch: 0 has computers; -1: none below it
  Sets leaves_;                       // switches that one computer is on
  Sets pods_;                         // leaves under one switch
  std::map<int, int> size_;           // computers by leaf
  std::map<int, std::set<int>> pod_;  // leaves by pod
  std::size_t rails_ = 1;             // switches of a computer
};

/// The level of a switch is its distance from the nearest one with computers.
void Shape::find_levels() {
  levels_.assign(static_cast<std::size_t>(in_.switches), -1);
  std::vector<std::vector<int>> joined(levels_.size());
  for (const SwitchGraph::Trunk& trunk : in_.trunks) {
    joined[static_cast<std::size_t>(trunk.a)].push_back(trunk.b);
    joined[static_cast<std::size_t>(trunk.b)].push_back(trunk.a);
  }
  std::vector<int> queue;
  for (const SwitchGraph::Port& port : in_.ports) {
    if (level(port.at) != 0) queue.push_back(port.at);
    level(port.at) = 0;
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const int at = queue[i];
    for (const int next : joined[static_cast<std::size_t>(at)]) {
      if (level(next) >= 0) continue;
      level(next) = level(at) + 1;
      queue.push_back(next);
    }
  }
}

void Shape::find_leaves() {
  std::map<int, std::set<int>> switches;  // by computer
  std::map<int, int> cards;
  for (const SwitchGraph::Port& port : in_.ports) {
    if (port.computer == SwitchGraph::kUnnamed) continue;
    ++cards[port.computer];
    switches[port.computer].insert(port.at);
  }
  for (const auto& [computer, all] : switches) {
    rails_ = std::max(rails_, all.size());
    for (const int at : all) leaves_.join(*all.begin(), at);
  }
  out_.cards = usual(cards);
  std::map<int, int> ports;  // by leaf
  for (const SwitchGraph::Port& port : in_.ports) ++ports[leaves_.set_of(port.at)];
  for (const auto& [leaf, count] : ports) size_[leaf] = (count + out_.cards - 1) / out_.cards;
  out_.computers = 0;
  for (const auto& [leaf, count] : size_) out_.computers += count;
}

void Shape::find_pods() {
  for (const SwitchGraph::Trunk& trunk : in_.trunks) {
    if (level(trunk.a) + level(trunk.b) == 1) pods_.join(trunk.a, trunk.b);
  }
  for (int at = 0; at < in_.switches; ++at) {
    if (level(at) == 0) pods_.join(at, leaves_.set_of(at));
  }
  for (const auto& [leaf, count] : size_) pod_[pods_.set_of(leaf)].insert(leaf);
}

void Shape::choose() {
  const auto sizes = std::ranges::minmax_element(size_, {}, &std::pair<const int, int>::second);
  const int least = sizes.min->second, most = sizes.max->second;
  const int top = *std::ranges::max_element(levels_);
  out_.computers_per_leaf = most;
  if (size_.size() == 1) {
    const bool one = rails_ == 1;
    out_.shape = one ? NetworkShape::one_switch : NetworkShape::rails;
    return;
  }
  out_.shape = NetworkShape::leaf_spine;
  if (least != most) {
    note("leaves have " + range(least, most) + " computers in the source: assumed " +
         std::to_string(most) + " each, but the last");
  }
  if (rails_ > 1) {
    note("the cards of a computer are on " + std::to_string(rails_) +
         " switches in the source: here one leaf stands for these");
  }
  if (top == 0) note("the source does not say how leaves are joined: assumed by a spine");
  if (pod_.size() == 1 || top < 2) return;
  std::size_t fewest = size_.size(), greatest = 0;
  for (const auto& [pod, leaves] : pod_) {
    fewest = std::min(fewest, leaves.size());
    greatest = std::max(greatest, leaves.size());
  }
  out_.shape = NetworkShape::fat_tree;
  out_.leaves_per_pod = static_cast<int>(greatest);
  if (fewest != greatest) {
    note("pods have " + range(static_cast<int>(fewest), static_cast<int>(greatest)) +
         " leaves in the source: assumed " + std::to_string(greatest) + " each");
  }
  if (top > 2) {
    note(counted(top - 1, "level") + " of switches above the pods in the source: here one core");
  }
}

/// Bandwidth into the switches of a level from below / bandwidth up from it, the largest of all
/// levels. Nothing if the rates are unknown.
void Shape::find_oversubscription() {
  std::map<int, double> below, above;  // Gbit/s by level
  std::map<double, int> rates;
  for (const SwitchGraph::Port& port : in_.ports) {
    below[0] += port.gbit_per_s;
    ++rates[port.gbit_per_s];
  }
  for (const SwitchGraph::Trunk& trunk : in_.trunks) {
    const int lower = std::min(level(trunk.a), level(trunk.b));
    const int upper = std::max(level(trunk.a), level(trunk.b));
    if (lower < 0 || lower == upper) continue;
    above[lower] += trunk.gbit_per_s;
    below[upper] += trunk.gbit_per_s;
  }
  out_.gbit_per_s =
      std::ranges::max_element(rates, {}, &std::pair<const double, int>::second)->first;
  double most = 0;
  for (const auto& [at, up] : above) {
    if (up > 0 && below[at] > 0) most = std::max(most, below[at] / up);
  }
  if (most > 0) out_.oversubscription = std::max(1.0, most);
  if (rates.size() > 1) {
    note("cards have " + std::to_string(rates.size()) + " speeds in the source: assumed " +
         print_number(out_.gbit_per_s) + " Gbit/s, which most have");
  }
}

NetworkInventory Shape::find() {
  out_.origin = in_.origin;
  out_.notes = std::move(in_.notes);
  find_levels();
  find_leaves();
  find_pods();
  choose();
  find_oversubscription();
  return std::move(out_);
}

}  // namespace

NetworkInventory network_of(SwitchGraph graph) {
  return Shape(std::move(graph)).find();
}

}  // namespace paceline
