// SPDX-License-Identifier: MIT
/// \file
/// How a network is described: `kind:` under an experiment's `model`, or of a file in models/. A
/// new kind is one file in kinds/ and one row in network_kinds.cpp.
#pragma once
#include "experiments/family.hpp"
#include "models/network.hpp"

namespace paceline {

/// A description that a network is made of.
struct NetworkKind {
  virtual ~NetworkKind() = default;
  /// The network, without a name. What cannot be is noted at `at`, or at the part that is wrong.
  virtual Network make(const Location& at, Diagnostics& diagnostics) const = 0;
};

/// The kinds of network, in the order that lists show.
const Family<NetworkKind>& table_of(const NetworkKind*);

}  // namespace paceline
