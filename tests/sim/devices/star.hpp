// SPDX-License-Identifier: MIT
/// \file
/// Hand-written roles on the simulated clock of a machine with its GPUs on one switch.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "experiments/language/yaml.hpp"
#include "sim/devices/simulated_machine.hpp"

namespace paceline {

/// GPUs on one switch, 10 GB/s and 1 us a link.
inline Machine star(int gpus) {
  std::string text = "gpus: [{model: p100-sxm2, count: " + std::to_string(gpus) + "}]\n";
  text += "host: {cores: 1, memory_bandwidth: 100 GB/s}\n";
  text += "vertices: [{kind: network-switch, names: [switch]}]\n";
  text += "link_types: {port: {kind: ethernet, bandwidth: 10 GB/s, latency: 1 us, source: test}}\n";
  text += "links: [{type: port, from: switch, to: [cpu0";
  for (int gpu = 0; gpu < gpus; ++gpu) text += ", gpu" + std::to_string(gpu);
  return load_machine(parse_yaml("star", text + "]}]\n"));
}

/// Four layers of 10 ms forward and 20 ms backward.
inline Costs four_layers() {
  Costs costs;
  costs.forward.assign(4, Seconds{0.01});
  costs.backward.assign(4, Seconds{0.02});
  return costs;
}

using Program = std::function<Task<>(Backend&)>;

/// Runs `programs` as roles 0, 1, ... on GPUs 0, 1, ...; returns the time at the end.
inline double run(const Machine& machine, const Costs& costs,
                  const std::vector<Program>& programs) {
  std::vector<int> vertices;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    vertices.push_back(machine.gpu_vertex(static_cast<int>(i)));
  }
  SimulatedMachine clock(machine, costs, vertices, static_cast<int>(programs.size()), nullptr);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    clock.start_role(static_cast<RoleId>(i), programs[i](clock));
  }
  clock.run();
  return to_seconds(clock.now().ps).value();
}

/// A copy between two roles' gradients.
inline Command::Copy copy_of(RoleId from, RoleId to, double bytes) {
  return {{from, Buffer::gradient}, {to, Buffer::gradient}, {0, 1, bytes}};
}

/// The messages of hand-written roles.
struct Done {};
struct Stop {};
using Words = MessageKinds<Done, Stop>;
inline bool is_stop(const Message& message) {
  return message.kind == Words::number_of<Stop>();
}

}  // namespace paceline
