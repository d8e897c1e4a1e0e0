// SPDX-License-Identifier: MIT
//
// Builds the sample of a cluster, and numbers the parts for which it stands.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "topology/cluster.hpp"
#include "topology/graph.hpp"

namespace paceline {
namespace {

/// The parts that the links of a sample are, by id: a row of the description may make several.
/// \param rows by link
std::vector<ClusterPart> parts_of_links(const std::vector<int>& rows,
                                        const std::vector<ClusterPart>& parts, int directions) {
  std::vector<ClusterPart> links;
  std::map<ClusterPart, int> made;
  for (const int row : rows) {
    const ClusterPart& part = parts[static_cast<std::size_t>(row)];
    const int number = made[part]++;
    links.push_back({part.kind, part.owner, part.number * directions + number});
  }
  return links;
}

}  // namespace

Machine build_cluster(const MachineSpec& spec, const std::string& name, Diagnostics& diagnostics) {
  ExpandedCluster sample = expand_cluster(spec, Expanded::sample, diagnostics);
  if (diagnostics.count() > 0) return ideal(0);
  const auto graph = Machine::Graph::build(sample.spec, name, diagnostics);
  if (diagnostics.count() > 0) return Machine(graph);
  const int directions = sample.spec.link_types.at("wire").duplex == Duplex::full ? 2 : 1;
  const std::vector<ClusterPart> links = parts_of_links(graph->rows, sample.rows, directions);
  for (std::size_t run = 0; run < sample.runs.size(); ++run) {
    const int node = static_cast<int>(run) * kSampleNodes;
    sample.runs[run].links = static_cast<int>(std::ranges::count_if(links, [&](const auto& part) {
      return part.kind == ClusterPart::Kind::inner && part.owner == node;
    }));
  }
  const NetworkSpec& network = spec.network->network;
  try {
    graph->cluster = std::make_shared<const ClusterSample>(
        ClusterNumbering(sample.runs, network, directions), sample.vertices, links);
  } catch (const std::overflow_error& error) {
    diagnostics.error(network.link.at, error.what());
    return Machine(graph);
  }
  const ClusterNumbering& whole = *graph->whole();
  graph->shown_gpus = whole.gpus();
  graph->host.sockets = whole.sockets();
  graph->host.cores = 0;  // of the sample
  graph->host.memory_bandwidth = {};
  for (std::size_t run = 0; run < whole.runs().size(); ++run)
    graph->add_to_host(graph->computers[run * kSampleNodes].host, whole.runs()[run].count);
  MachineSpec one_of_each = expand_cluster(spec, Expanded::one_of_each, diagnostics).spec;
  one_of_each.title = title_of_folded(spec, whole);
  graph->folded = std::make_shared<const Machine>(build_machine(one_of_each, name, diagnostics));
  return Machine(graph);
}

}  // namespace paceline
