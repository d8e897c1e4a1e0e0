// SPDX-License-Identifier: MIT
/// \file
/// What `paceline calibrate` measured of this computer: its host, its GPUs, the links between them,
/// and the times of networks on one worker. Written as YAML; the only place where the simulator
/// learns of `machine: this`. One format for hosts and GPUs.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topology/host_figures.hpp"
#include "training/profile/gpu_profile.hpp"
#include "training/profile/link_profile.hpp"
#include "training/profile/network_profile.hpp"
#include "training/profile/tcp_profile.hpp"

namespace paceline {

struct Profile {
  std::string measured;                         ///< date
  std::string version;                          ///< of paceline
  std::map<std::string, std::string> software;  ///< versions of the compiler, libraries, driver
  HostFigures host;
  std::vector<LinkProfile> links;
  std::vector<GpuProfile> gpus;  ///< by number; empty: none were measured
  std::vector<CollectiveProfile> collectives;
  std::vector<NetworkProfile> networks;
  std::optional<TcpProfile> tcp;  ///< absent: nobody has asked for several processes

  /// What was measured of just that; null where nothing was.
  const NetworkProfile* find(const Workload& workload) const;
  /// The copies from one place to another that were timed alone; null where none were.
  const LinkProfile* link(const std::string& from, const std::string& to) const;
  static void describe(Description<Profile>& d);
};

}  // namespace paceline
