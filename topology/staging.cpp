// SPDX-License-Identifier: MIT
#include "topology/staging.hpp"

#include <algorithm>

#include "topology/gpu.hpp"
#include "topology/import/assumed_host.hpp"

namespace paceline {
namespace {

constexpr double kPasses = 2;  // over host memory: the copy to it, and the copy from it

/// The generation of the fastest slot that a GPU is made for; 0: no GPU says.
int slot_generation(const std::vector<GpuSpec>& models) {
  int generation = 0;
  for (const GpuSpec& model : models) {
    if (!model.pcie.empty()) generation = std::max(generation, model.pcie.back() - '0');
  }
  return generation;
}

/// Models that cannot be read are reported where the machine is built.
std::vector<GpuSpec> models_of(const MachineSpec& computer) {
  std::vector<GpuSpec> models;
  for (const GpusSpec& row : computer.gpus) {
    try {
      models.push_back(load_gpu(row.model));
    } catch (const SpecError&) {
      continue;
    }
  }
  return models;
}

/// Takes a figure and its source from the preset host where the description has none.
void fill(std::optional<BytesPerSecond> CopiesSpec::*figure, const char* key, CopiesSpec& copies,
          const CopiesSpec& assumed) {
  if (copies.*figure) return;
  copies.*figure = assumed.*figure;
  const auto source = assumed.sources.find(key);
  if (source != assumed.sources.end()) copies.sources[key] = source->second;
}

}  // namespace

NodeSpec node_of(const MachineSpec& computer) {
  NodeSpec node{computer.host, PeerAccess::all, computer.copies, 0};
  const std::vector<GpuSpec> models = models_of(computer);
  for (const GpusSpec& row : computer.gpus) node.gpus += row.count;
  for (const GpuSpec& model : models)
    node.peer_access = std::max(node.peer_access, model.peer_access);
  if (computer.peer_access) node.peer_access = *computer.peer_access;
  if (node.peer_access == PeerAccess::all) return node;
  const CopiesSpec assumed = assumed_host(slot_generation(models)).copies;
  node.staging_assumed = !node.copies.staging_bandwidth || !node.copies.staging_limit;
  fill(&CopiesSpec::staging_bandwidth, "staging_bandwidth", node.copies, assumed);
  fill(&CopiesSpec::staging_limit, "staging_limit", node.copies, assumed);
  return node;
}

std::optional<LinkTypeSpec> staging_link(const NodeSpec& computer) {
  if (computer.peer_access == PeerAccess::all || computer.gpus < 2) return std::nullopt;
  LinkTypeSpec link;
  link.kind = LinkKind::memory;
  link.duplex = Duplex::half;
  const HostSpec& host = computer.host;
  link.bandwidth = std::min(*computer.copies.staging_bandwidth,
                            host.memory_bandwidth * (host.sockets / kPasses));
  const auto source = computer.copies.sources.find("staging_bandwidth");
  if (source != computer.copies.sources.end()) link.source = source->second;
  return link;
}

}  // namespace paceline
