// SPDX-License-Identifier: MIT
/// \file
/// Which networks have real arithmetic at all, however slow.
#pragma once
#include <string>

#include "models/network.hpp"

namespace paceline {

/// "" if every layer can be computed and learned, else the first that cannot and why.
std::string unsupported(const Network& network);

}  // namespace paceline
