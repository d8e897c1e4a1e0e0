// SPDX-License-Identifier: MIT
//
// The structured bindings name every member, so that one that is added does not compile until it is
// written here.
#include "topology/graph.hpp"

namespace paceline {
namespace {

void add(std::string& text, const std::string& word) {
  text += to_flow(Tree::scalar(word)) + ' ';
}
void add(std::string& text, double number) {
  text += print_number(number) + ' ';
}

void add(std::string& text, const Vertex& vertex) {
  const auto& [name, kind] = vertex;
  add(text, name);
  add(text, static_cast<double>(kind));
}

void add(std::string& text, const LinkDirection& link) {
  const auto& [name, kind, capacity, latency, from, to, efficiency, count, half_duplex, source] =
      link;
  add(text, name);
  add(text, static_cast<double>(kind));
  for (const double figure : {capacity.value(), latency.value(), static_cast<double>(from),
                              static_cast<double>(to), efficiency, static_cast<double>(count),
                              half_duplex ? 1.0 : 0.0}) {
    add(text, figure);
  }
  add(text, source);
}

void add(std::string& text, const Host& host) {
  const auto& [sockets, cores, memory_bandwidth, copy_bandwidth, dispatch, decision_latency,
               timer_error] = host;
  for (const double figure :
       {static_cast<double>(sockets), static_cast<double>(cores), memory_bandwidth.value(),
        copy_bandwidth.value(), dispatch.value(), decision_latency.value(), timer_error.value()}) {
    add(text, figure);
  }
}

}  // namespace

std::string Machine::canonical_text() const {
  const Graph& graph = *graph_;
  std::string text;
  add(text, static_cast<double>(graph.kind));
  for (const std::string* word : {&graph.name, &graph.title, &graph.fingerprint}) add(text, *word);
  for (const Vertex& vertex : graph.vertices) add(text, vertex);
  for (const LinkDirection& link : graph.links) add(text, link);
  for (const GpuSpec& gpu : graph.gpus) text += to_flow(write_keys(gpu)) + '\n';
  add(text, graph.host);
  text += to_flow(write_keys(graph.copies));
  add(text, static_cast<double>(graph.peer_access));
  for (const auto& [a, b] : graph.peer_pairs) {
    add(text, a);
    add(text, b);
  }
  return text;
}

}  // namespace paceline
