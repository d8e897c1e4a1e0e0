// SPDX-License-Identifier: MIT
/// \file
/// A network as canonical text: two networks are equal if and only if their texts are equal. The
/// text identifies finished points of an earlier run.
#pragma once
#include <string>

#include "models/network.hpp"

namespace paceline {

std::string canonical_text(const Network& network);

}  // namespace paceline
