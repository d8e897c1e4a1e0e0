// SPDX-License-Identifier: MIT
/// \file
/// What `paceline calibrate` measured of this computer: the host's figures, and the times of a
/// network on one worker. Written as YAML; the only place where the simulator learns of `machine:
/// this`.
#pragma once
#include <string>
#include <vector>

#include "models/network.hpp"
#include "topology/host_figures.hpp"

namespace paceline {

/// One worker's times for a network and batch, alone on the machine.
struct NetworkProfile {
  std::string network;
  std::int64_t parameters = 0;
  int batch = 0;
  std::string optimizer;
  std::string dataset;            ///< whose items the first layer draws
  std::vector<Seconds> forward;   ///< by layer; the first includes drawing the mini-batch
  std::vector<Seconds> backward;  ///< by layer
  Seconds update;                 ///< of all parameters by the optimizer
  Seconds reduce;                 ///< adding a gradient to another
  Seconds copy;                   ///< of all parameters from one worker's memory to another's
  static void describe(Description<NetworkProfile>& d);
};

struct HostProfile {
  std::string measured;  ///< date
  std::string version;   ///< of paceline
  HostFigures host;
  std::vector<NetworkProfile> networks;

  const NetworkProfile* find(const Network& network, int batch, const std::string& optimizer,
                             const std::string& dataset) const;
  static void describe(Description<HostProfile>& d);
};

}  // namespace paceline
