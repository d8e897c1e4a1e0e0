// SPDX-License-Identifier: MIT
/// \file
/// The machine described by a profile: this computer's GPUs and host, with the links that the
/// measured copies reveal. It can be written as an ordinary machine file.
#pragma once
#include <string>

#include "topology/machine.hpp"
#include "topology/machine_spec.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// Links between the host and each GPU, one common link where simultaneous copies to all GPUs share
/// the bandwidth of one; links between GPUs where those are faster than the route through the host,
/// with a switch where there are many. `fingerprint`: of this computer.
MachineSpec measured_machine_spec(const Profile& profile, const std::string& fingerprint);

/// Whether every GPU has a measured link to and from the host, as a machine requires.
bool has_links(const Profile& profile);

/// The same as a graph, called "this". Requires has_links(). Throws SpecError where the preset of a
/// GPU does not exist.
Machine measured_machine(const Profile& profile);

}  // namespace paceline
