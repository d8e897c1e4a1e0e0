// SPDX-License-Identifier: MIT
/// \file
/// The measurements of `paceline calibrate` on this computer: its host, its GPUs, the links between
/// them, and the times of networks on one worker. Written as YAML, in one format for hosts and
/// GPUs; the simulator's only source for `machine: this`.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topology/host_figures.hpp"
#include "training/profile/exchange_profile.hpp"
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
  std::vector<GpuProfile> gpus;  ///< by number; empty: no GPU was measured
  std::vector<CollectiveProfile> collectives;
  std::vector<NetworkProfile> networks;
  std::optional<ExchangeProfile> exchange;  ///< absent: not measured
  std::optional<TcpProfile> tcp;            ///< absent: TCP was not measured

  /// The times measured for exactly this workload; null if there are none.
  const NetworkProfile* find(const Workload& workload) const;
  /// The copies between two places that were timed alone; null if there are none.
  const LinkProfile* link(const std::string& from, const std::string& to) const;
  /// Removes the measurements of the GPUs and of the links to them.
  void forget_gpus();
  static void describe(Description<Profile>& d);
};

}  // namespace paceline
