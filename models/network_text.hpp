// SPDX-License-Identifier: MIT
/// \file
/// A network with everything resolved, as text: equal texts, equal networks. What finished points
/// are found again by.
#pragma once
#include <string>

#include "models/network.hpp"

namespace paceline {

std::string canonical_text(const Network& network);

}  // namespace paceline
