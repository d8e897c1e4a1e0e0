// SPDX-License-Identifier: MIT
//
// The structured bindings name every member: a new member does not compile until it is written
// here.
#include "topology/machine_text.hpp"

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
  const LinkFigures& figures = link;
  const auto& [kind, capacity, latency, efficiency, count, connection, sockets, eager, half_duplex,
               source] = figures;
  add(text, link.name);
  add(text, static_cast<double>(kind));
  for (const double figure : {capacity.value(), latency.value(), static_cast<double>(link.from),
                              static_cast<double>(link.to), efficiency, static_cast<double>(count),
                              half_duplex ? 1.0 : 0.0}) {
    add(text, figure);
  }
  if (connection.value() > 0) add(text, connection.value());
  if (sockets > 1) add(text, static_cast<double>(sockets));
  if (eager.value() > 0) add(text, eager.value());
  add(text, source);
}

void add(std::string& text, const Host& host) {
  const auto& [sockets, cores, memory_bandwidth, copy_bandwidth, pageable_bandwidth, dispatch,
               decision_latency, timer_error] = host;
  for (const double figure :
       {static_cast<double>(sockets), static_cast<double>(cores), memory_bandwidth.value(),
        copy_bandwidth.value(), pageable_bandwidth.value(), dispatch.value(),
        decision_latency.value(), timer_error.value()}) {
    add(text, figure);
  }
}

}  // namespace

std::string canonical_text(const Machine& whole) {
  const Machine machine = whole.sampled();
  std::string text;
  add(text, static_cast<double>(machine.kind()));
  for (const std::string* word : {&machine.name(), &machine.title(), &machine.fingerprint()}) {
    add(text, *word);
  }
  if (machine.kind() != Machine::Kind::described) return text;
  for (const Vertex& vertex : machine.vertices()) add(text, vertex);
  for (const LinkDirection& link : machine.links()) add(text, link);
  add(text, machine.host());
  for (int gpu = 0; gpu < machine.gpu_count(); ++gpu) {
    text += to_flow(write_keys(machine.gpu(gpu))) + '\n';
  }
  return text + whole.route_rules();
}

}  // namespace paceline
