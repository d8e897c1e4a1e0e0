// SPDX-License-Identifier: MIT
/// \file
/// This computer as its system describes it: what a profile belongs to, and what a manifest says.
#pragma once
#include <string>
#include <vector>

#include "experiments/units.hpp"

namespace paceline {

struct Computer {
  std::string cpu;   ///< "Intel(R) Xeon(R) ..."
  int cores = 1;     ///< that this process may run on
  std::string os;    ///< "Debian GNU/Linux 12 (bookworm)"
  std::string host;  ///< its name in the network
  /// "CPU, N cores": a profile of another one is not used.
  std::string identity() const { return cpu + ", " + std::to_string(cores) + " cores"; }
};

Computer this_computer();

/// Of all its processes together.
Bytes memory_of_this_computer();

/// What a machine file says in `fingerprint` of this computer with these GPUs: "CPU, N cores; 2 x
/// NVIDIA H200".
std::string fingerprint_with(const std::vector<std::string>& gpus);

}  // namespace paceline
