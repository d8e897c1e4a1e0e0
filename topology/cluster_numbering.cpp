// SPDX-License-Identifier: MIT
#include "topology/cluster_numbering.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace paceline {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;

int checked(std::int64_t count, const char* what) {
  if (count > kMost)
    throw std::overflow_error(std::string("a cluster of over 2^30 ") + what +
                              " (describe fewer nodes)");
  return static_cast<int>(count);
}

constexpr std::int64_t blocks(std::int64_t items, std::int64_t size) {
  return (items + size - 1) / size;
}

}  // namespace

ClusterNumbering::ClusterNumbering(std::vector<NodeRun> runs, const NetworkSpec& network,
                                   int directions)
    : runs_(std::move(runs)),
      kind_(network.kind),
      per_leaf_(network.nodes_per_leaf),
      per_pod_(network.leaves_per_pod),
      directions_(directions) {
  std::int64_t nodes = 0;
  for (const NodeRun& run : runs_) {
    firsts_.push_back(checked(nodes, "nodes"));
    nodes += run.count;
    rails_ = std::max(rails_, run.cards);
  }
  const int all = nodes_ = checked(nodes, "nodes");
  gpus_ = checked(sum(&NodeRun::gpus, all), "GPUs");
  const std::int64_t own = gpus_ + sum(&NodeRun::sockets, all);
  const std::int64_t leaves = has_leaves() ? blocks(all, per_leaf_) : 0;
  const std::int64_t pods = has_pods() ? blocks(leaves, per_pod_) : 0;
  const std::int64_t switches = rails() ? rails_ + (rails_ > 1 ? 1 : 0) : 1 + leaves + pods;
  devices_before_ = checked(own, "vertices");
  switches_before_ = checked(own + sum(&NodeRun::devices, all), "vertices");
  vertices_ = checked(switches_before_ + switches, "vertices");
  network_before_ = checked(sum(&NodeRun::links, all), "links");
  const std::int64_t upwards = rails() ? (rails_ > 1 ? rails_ : 0) : leaves + pods;
  links_ = checked(network_before_ + directions_ * (upwards + sum(&NodeRun::cards, all)), "links");
}

std::string ClusterNumbering::text() const {
  std::string text = Value<NetworkShape>::write(kind_).text;
  for (const int figure : {per_leaf_, per_pod_, directions_}) text += ' ' + std::to_string(figure);
  for (const auto& [count, gpus, sockets, devices, links, cards] : runs_) {
    text += " /";
    for (const int figure : {count, gpus, sockets, devices, links, cards})
      text += ' ' + std::to_string(figure);
  }
  return text;
}

std::int64_t ClusterNumbering::sum(Count count, int node) const {
  std::int64_t all = 0;
  for (std::size_t run = 0; run < runs_.size(); ++run)
    all += std::int64_t{runs_[run].*count} * std::clamp(node - firsts_[run], 0, runs_[run].count);
  return all;
}

int ClusterNumbering::run_of(int node) const {
  return static_cast<int>(std::ranges::upper_bound(firsts_, node) - firsts_.begin()) - 1;
}

std::pair<int, int> ClusterNumbering::holder(Count count, int number) const {
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const int each = runs_[run].*count;
    const std::int64_t all = std::int64_t{each} * runs_[run].count;
    if (number < all) return {firsts_[run] + number / each, number % each};
    number -= static_cast<int>(all);
  }
  throw std::out_of_range("no such part of the cluster");
}

// ---- vertices

ClusterPart ClusterNumbering::vertex(int id) const {
  const auto of = [this](ClusterPart::Kind kind, Count count, int number) {
    const auto [node, rest] = holder(count, number);
    return ClusterPart{kind, node, rest};
  };
  if (id < gpus_) return of(ClusterPart::Kind::gpu, &NodeRun::gpus, id);
  if (id < devices_before_) return of(ClusterPart::Kind::socket, &NodeRun::sockets, id - gpus_);
  if (id < switches_before_)
    return of(ClusterPart::Kind::device, &NodeRun::devices, id - devices_before_);
  return network_switch(id - switches_before_);
}

ClusterPart ClusterNumbering::network_switch(int number) const {
  using enum ClusterPart::Kind;
  if (rails()) {
    if (rails_ == 1) return {leaf, number, 0};
    return number == 0 ? ClusterPart{top, 0, 0} : ClusterPart{leaf, number - 1, 0};
  }
  if (number == 0) return {top, 0, 0};
  --number;
  if (!has_pods()) return {leaf, number, 0};
  const int pod_number = number / (per_pod_ + 1), within = number % (per_pod_ + 1);
  if (within == 0) return {pod, pod_number, 0};
  return {leaf, pod_number * per_pod_ + within - 1, 0};
}

int ClusterNumbering::vertex(const ClusterPart& part) const {
  using enum ClusterPart::Kind;
  const auto within = [&](Count count) {
    return static_cast<int>(sum(count, part.owner)) + part.number;
  };
  switch (part.kind) {
    case gpu:
      return within(&NodeRun::gpus);
    case socket:
      return gpus_ + within(&NodeRun::sockets);
    case device:
      return devices_before_ + within(&NodeRun::devices);
    case top:
      return switches_before_;
    case pod:
      return switches_before_ + 1 + part.owner * (per_pod_ + 1);
    case leaf:
      if (rails()) return switches_before_ + part.owner + (rails_ > 1 ? 1 : 0);
      return switches_before_ + 1 + part.owner +
             (has_pods() ? part.owner / per_pod_ + 1 : 0);  // each pod is before its leaves
    default:
      throw std::out_of_range("not a vertex");
  }
}

// ---- links

std::int64_t ClusterNumbering::wires_before(int node) const {
  const std::int64_t leaves = has_leaves() ? blocks(node, per_leaf_) : 0;
  const std::int64_t pods = has_pods() ? blocks(leaves, per_pod_) : 0;
  return sum(&NodeRun::cards, node) + leaves + pods;
}

int ClusterNumbering::nodes_on(int rail, int node) const {
  int count = 0;
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    if (runs_[run].cards > rail) count += std::clamp(node - firsts_[run], 0, runs_[run].count);
  }
  return count;
}

int ClusterNumbering::first_of_rail(int rail) const {
  int wires = 0;
  for (int before = 0; before < rail; ++before) wires += nodes_on(before, nodes_);
  return wires + (rails_ > 1 ? rail : 0);
}

ClusterPart ClusterNumbering::link(int id) const {
  if (id < network_before_) {
    const auto [node, rest] = holder(&NodeRun::links, id);
    return {ClusterPart::Kind::inner, node, rest};
  }
  const int number = (id - network_before_) / directions_;
  ClusterPart part = rails() ? rail_link(number) : network_link(number);
  part.number = part.number * directions_ + (id - network_before_) % directions_;
  return part;
}

ClusterPart ClusterNumbering::rail_link(int number) const {
  int rail = rails_ - 1;
  while (first_of_rail(rail) > number) --rail;
  number -= first_of_rail(rail);
  if (rails_ > 1 && number-- == 0) return {ClusterPart::Kind::above_leaf, rail, 0};
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    if (runs_[run].cards <= rail) continue;
    if (number < runs_[run].count) return {ClusterPart::Kind::wire, firsts_[run] + number, rail};
    number -= runs_[run].count;
  }
  throw std::out_of_range("no such link of the cluster");
}

ClusterPart ClusterNumbering::network_link(int number) const {
  int node = 0;  // the last one with its links at `number` or before
  for (int above = nodes_; above - node > 1;) {
    const int middle = node + (above - node) / 2;
    (wires_before(middle) <= number ? node : above) = middle;
  }
  int rest = number - static_cast<int>(wires_before(node));
  if (has_pods() && node % (per_leaf_ * per_pod_) == 0 && rest-- == 0)
    return {ClusterPart::Kind::above_pod, pod_of(leaf_of(node)), 0};
  if (has_leaves() && node % per_leaf_ == 0 && rest-- == 0)
    return {ClusterPart::Kind::above_leaf, leaf_of(node), 0};
  return {ClusterPart::Kind::wire, node, rest};
}

int ClusterNumbering::link(const ClusterPart& part) const {
  using enum ClusterPart::Kind;
  if (part.kind == inner) return static_cast<int>(sum(&NodeRun::links, part.owner)) + part.number;
  const int item = part.number / directions_;
  std::int64_t number = 0;
  if (part.kind == wire) {
    const int node = part.owner;
    if (rails()) {
      number = first_of_rail(item) + (rails_ > 1 ? 1 : 0) + nodes_on(item, node);
    } else {
      const bool first_of_leaf = has_leaves() && node % per_leaf_ == 0;
      const bool first_of_pod = has_pods() && node % (per_leaf_ * per_pod_) == 0;
      number = wires_before(node) + (first_of_leaf ? 1 : 0) + (first_of_pod ? 1 : 0) + item;
    }
  } else if (part.kind == above_leaf && rails()) {
    number = first_of_rail(part.owner);
  } else {
    const int leaves = part.kind == above_pod ? part.owner * per_pod_ : part.owner;
    number = wires_before(leaves * per_leaf_);
    if (part.kind == above_leaf && has_pods() && leaves % per_pod_ == 0) ++number;
  }
  return network_before_ + directions_ * static_cast<int>(number) + part.number % directions_;
}

}  // namespace paceline
