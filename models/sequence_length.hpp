// SPDX-License-Identifier: MIT
/// \file
/// A network over sequences at another length than that of its file: what a mini-batch of shorter
/// sequences computes. The parameters stay the same, and so does their flat layout.
#pragma once
#include <string>

#include "models/network.hpp"

namespace paceline {

/// "" if `network` reads sequences of tokens and computes any number of positions up to its own,
/// else the reason why not.
std::string why_of_one_length(const Network& network);

/// The least number of positions that `network` computes: those that it selects. Requires
/// why_of_one_length(network) == "".
int least_length(const Network& network);

/// `network` on sequences of `length` positions: its layers with the shapes and operations of that
/// length. A table of positions keeps all its parameters, of which the first `length` rows are
/// used. Requires least_length(network) <= length <= network.input.height.
Network at_length(const Network& network, int length);

}  // namespace paceline
