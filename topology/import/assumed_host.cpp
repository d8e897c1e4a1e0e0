// SPDX-License-Identifier: MIT
#include "topology/import/assumed_host.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace paceline {
namespace {

constexpr int kMostCores = 4096;  // per socket

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

}  // namespace

void AssumedHost::describe(Description<AssumedHost>& d) {
  d.required("host", &AssumedHost::host, "sockets, memory and software");
  d.required("copies", &AssumedHost::copies, "what a copy costs beside its links");
}

AssumedHost assumed_host(int pcie_generation) {
  const std::string preset = "pcie" + std::to_string(std::clamp(pcie_generation, 3, 5));
  Diagnostics diagnostics;
  auto assumed = read<AssumedHost>(
      load_preset_or_path(Tree::scalar(preset), "host", embedded_hosts()), diagnostics);
  diagnostics.throw_if_any();
  return assumed;
}

AssumedHost host_of(const Inventory& inventory, int pcie_generation) {
  AssumedHost assumed = assumed_host(pcie_generation);
  HostSpec& host = assumed.host;
  host.sockets = inventory.sockets;
  // With as many cores as a whole socket, the node is a socket and not a part of one.
  const double share = inventory.cores < host.cores ? inventory.socket_share : 1;
  if (share < 1) {
    constexpr double kDigits = 1e6;  // bytes/s; rounds to the precision of hand-written files
    host.memory_bandwidth =
        BytesPerSecond{std::round(host.memory_bandwidth.value() * share / kDigits) * kDigits};
    const std::string prefix =
        "assumed: a NUMA node's share, " + percent(share) + " of a socket's; ";
    host.sources["memory_bandwidth"] = prefix + host.sources["memory_bandwidth"];
    if (inventory.cores == 0) {
      host.cores = std::max(1, static_cast<int>(std::lround(host.cores * share)));
      host.sources["cores"] = prefix + host.sources["cores"];
    }
  }
  if (inventory.cores > 0) {
    host.cores = std::min(inventory.cores, kMostCores);
    host.sources["cores"] = "as " + inventory.origin + " says";
  }
  return assumed;
}

}  // namespace paceline
