// SPDX-License-Identifier: MIT
/// \file
/// Computes the fraction of a trace's window during which each resource shared by workers was busy:
/// servers, links, the host's cores. A resource that is busy all the time bounds the throughput.
#pragma once
#include <string>
#include <vector>

#include "sim/costs/prediction.hpp"

namespace paceline {

/// A resource that workers share.
struct SharedResource {
  enum class Kind { server, link, cores, launches };
  Kind kind = Kind::server;
  std::string name;  ///< "the server", "plx0->cpu0", "the host's 2 cores"
  double busy = 0;   ///< fraction of the window
  /// A link with the traffic of a single worker: further workers do not fill it.
  bool of_one_worker = false;
};

/// All resources that were ever busy, the busiest first. A link is busy for the bytes that crossed
/// it over its capacity, a server for its sums and updates, the launching thread for the launches
/// of all layers. The busy share of the cores is the average number of cores in use over the number
/// of cores.
std::vector<SharedResource> busy_shares(const Trace& trace, const Prediction& setting);

}  // namespace paceline
