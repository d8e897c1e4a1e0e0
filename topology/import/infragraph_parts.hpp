// SPDX-License-Identifier: MIT
/// \file
/// The devices, links and edges of an InfraGraph file (infragraph.dev), in both of its notations:
/// `connections: [cpu.0.pcie.switch.1]` and `edges: [{ep1, ep2, link, scheme}]`.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/language/tree.hpp"
#include "topology/import/inventory.hpp"

namespace paceline::infra {

/// `slot` is one of PCIe, which stands for what is in it.
enum class Kind { cpu, gpu, nic, pcie_switch, nvswitch, slot, other };

struct Component {
  Kind kind = Kind::other;
  int count = 0;  ///< 0: as many as edges name
  std::string description;
};

struct Link {
  std::string description;
  PcieRate pcie;             ///< lanes 0: unknown
  BytesPerSecond bandwidth;  ///< 0: unknown
};

/// A part of a device, or of an instance of a device; numbers count from 0.
struct End {
  std::string instance;  ///< "" inside a device
  int instance_number = 0;
  std::string component;
  int number = 0;
  auto operator<=>(const End&) const = default;
};

struct Edge {
  End a, b;
  std::string link;
  Location at;
};

struct Device {
  std::string name;
  std::map<std::string, Component> components;
  std::map<std::string, Link> links;
  std::vector<Edge> edges;
};

struct Instance {
  std::string device;
  int count = 1;
};

struct Infrastructure {
  std::map<std::string, Device> devices;
  std::map<std::string, Instance> instances;
  std::map<std::string, Link> links;
  std::vector<Edge> edges;  ///< between instances
};

/// Throws SpecError.
Infrastructure infrastructure_of(const Tree& root);

}  // namespace paceline::infra
