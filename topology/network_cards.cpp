// SPDX-License-Identifier: MIT
//
// Which network card a GPU uses. Several cards are often equally near, below one PCI Express
// switch; paths that resolve the tie by the links' ids would all leave by the first. As NCCL does,
// GPUs share them: each has a card of its own.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "topology/graph.hpp"

namespace paceline {
namespace {

/// One way after the other, through the vertex where they meet.
void append(Path& way, int meeting, const Path& next) {
  if (next.links.empty()) return;
  if (!way.links.empty()) way.between.push_back(meeting);
  way.links.insert(way.links.end(), next.links.begin(), next.links.end());
  way.between.insert(way.between.end(), next.between.begin(), next.between.end());
  way.length += next.length;
}

}  // namespace

std::vector<int> Machine::Graph::network_cards() const {
  std::set<int> cards;
  for (const LinkDirection& link : links) {
    if (!joins_computers(link.kind)) continue;
    for (const int end : {link.from, link.to}) {
      if (vertex(end).kind == VertexKind::nic) cards.insert(end);
    }
  }
  return {cards.begin(), cards.end()};
}

std::vector<int> Machine::Graph::nearest_to(int gpu, const std::vector<int>& cards) const {
  std::vector<int> near;
  PathLength least;
  for (const int card : cards) {
    const std::optional<Path> way = others->path(gpu, card);
    if (!way) continue;
    if (near.empty() || way->length < least) {
      near.clear();
      least = way->length;
    }
    if (way->length == least) near.push_back(card);
  }
  return near;
}

void Machine::Graph::find_cards_of_gpus() {
  cards_of_gpus.clear();
  if (computers.size() < 2) return;
  const std::vector<int> cards = network_cards();
  std::map<std::vector<int>, std::size_t> users;  // by the cards near them
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    std::vector<int> near = nearest_to(static_cast<int>(gpu), cards);
    if (!near.empty()) {
      const std::size_t own = users[near]++ % near.size();
      std::ranges::rotate(near, near.begin() + static_cast<std::ptrdiff_t>(own));
    }
    cards_of_gpus.push_back(std::move(near));
  }
}

Path Machine::Graph::way_by_cards(int from, int to, const std::vector<int>& leaving,
                                  const std::vector<int>& arriving) const {
  Path shortest = way_around_nvlink(from, to);
  for (const int first : leaving) {
    for (const int last : arriving) {
      Path way;
      int at = from;
      for (const int next : {first, last, to}) {
        append(way, at, way_around_nvlink(at, next));
        at = next;
      }
      if (way.length == shortest.length) return way;
    }
  }
  return shortest;
}

std::vector<int> Machine::Graph::cards_near(int vertex) const {
  const auto index = static_cast<std::size_t>(vertex);
  return index < cards_of_gpus.size() ? cards_of_gpus[index] : std::vector<int>();
}

}  // namespace paceline
