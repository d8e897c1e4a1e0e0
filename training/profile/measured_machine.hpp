// SPDX-License-Identifier: MIT
/// \file
/// The machine that a profile measured: this computer's GPUs and host, with the links that copies
/// showed. It can be written as an ordinary machine file.
#pragma once
#include <string>

#include "topology/machine.hpp"
#include "topology/machine_spec.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// Links between the host and each GPU, one for all where copies to all of them at once share what
/// one of them gets; links between GPUs that are faster than by way of the host, through a switch
/// where there are many. `fingerprint`: of this computer.
MachineSpec measured_machine_spec(const Profile& profile, const std::string& fingerprint);

/// Whether there is a way between the host and each GPU, and so a machine.
bool has_links(const Profile& profile);

/// The same as a graph, called "this". Requires has_links(); throws SpecError where a GPU's preset
/// is not there.
Machine measured_machine(const Profile& profile);

}  // namespace paceline
