// SPDX-License-Identifier: MIT
/// \file
/// Describes this computer for profiles, which are valid on one computer only, and for manifests.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/units.hpp"

namespace paceline {

struct Computer {
  std::string cpu;   ///< "Intel(R) Xeon(R) ..."
  int cores = 1;     ///< available to this process
  std::string os;    ///< "Debian GNU/Linux 12 (bookworm)"
  std::string host;  ///< host name
  /// "CPU, N cores". A profile with another identity is not used.
  std::string identity() const { return cpu + ", " + std::to_string(cores) + " cores"; }
};

Computer this_computer();

/// The physical memory of this computer.
Bytes memory_of_this_computer();

/// The `fingerprint` in a machine file of this computer with these GPUs: "CPU, N cores; 2 x NVIDIA
/// H200".
std::string fingerprint_with(const std::vector<std::string>& gpus);

}  // namespace paceline
