// SPDX-License-Identifier: MIT
/// \file
/// The share of a trace's window for which each thing that workers share was busy: servers, links,
/// the host's cores. Whatever is busy all the time bounds the throughput.
#pragma once
#include <string>
#include <vector>

#include "training/setting.hpp"

namespace paceline {

/// Something that workers share.
struct SharedResource {
  enum class Kind { server, link, cores, launches };
  Kind kind = Kind::server;
  std::string name;  ///< "the server", "plx0->cpu0", "the host's 2 cores"
  double busy = 0;   ///< share of the window
  /// A link that carries the traffic of a single worker: further workers do not fill it.
  bool of_one_worker = false;
};

/// All of them, the busiest first; those that were never busy are left out. A link's share is the
/// bytes that crossed it over its capacity, a server's that of its sums and updates, and the cores'
/// counts as many of them as had something to do at the same time.
std::vector<SharedResource> busy_shares(const Trace& trace, const Setting& setting);

}  // namespace paceline
