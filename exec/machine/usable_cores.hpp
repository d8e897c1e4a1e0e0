// SPDX-License-Identifier: MIT
/// \file
/// The processor cores that this process may use, which a cpuset or a container can limit.
#pragma once
#include <vector>

namespace paceline {

/// The system's numbers of the usable cores; empty where the system does not report them.
std::vector<int> usable_cpus();

/// At least 1.
int usable_cores();

/// The socket of each usable core, numbered from 0 in the order of their first cores.
std::vector<int> sockets_of_cores();

}  // namespace paceline
