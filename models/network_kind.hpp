// SPDX-License-Identifier: MIT
/// \file
/// The kinds of network description: `kind:` under an experiment's `model`, or in a file in
/// models/. A new kind is one file in kinds/ and one row in network_kinds.cpp.
#pragma once
#include "experiments/language/family.hpp"
#include "models/network.hpp"

namespace paceline {

/// A description from which a network is made.
struct NetworkKind {
  virtual ~NetworkKind() = default;
  /// Makes the network, without a name. Errors stand at `at` or at the wrong part of the
  /// description.
  virtual Network make(const Location& at, Diagnostics& diagnostics) const = 0;
};

/// The kinds of network, in the order in which `paceline list` shows them.
const Family<NetworkKind>& table_of(const NetworkKind*);

}  // namespace paceline
