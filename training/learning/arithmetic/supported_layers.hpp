// SPDX-License-Identifier: MIT
/// \file
/// Which networks can be computed and trained on the CPU at all, however slowly.
#pragma once
#include <string>

#include "models/network.hpp"

namespace paceline {

/// "" if every layer can be computed and trained, else the first layer that cannot, and why.
std::string unsupported(const Network& network);

}  // namespace paceline
