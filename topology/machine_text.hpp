// SPDX-License-Identifier: MIT
/// \file
/// A machine as canonical text: two machines are equal if and only if their texts are equal. The
/// text identifies finished points of an earlier run.
#pragma once
#include <string>

#include "topology/machine.hpp"

namespace paceline {

std::string canonical_text(const Machine& machine);

}  // namespace paceline
