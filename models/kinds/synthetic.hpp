// SPDX-License-Identifier: MIT
/// \file
/// A network described only by its compute time and gradient size.
#pragma once
#include <string>

#include "experiments/language/unit_table.hpp"
#include "models/network_kind.hpp"

namespace paceline {

/// **Does** no arithmetic. `compute` is the time of one mini-batch, a third of it forward;
/// `gradient` has 4 bytes per parameter. Time and gradient are divided evenly among `tensors`
/// layers.
struct Synthetic final : NetworkKind {
  Seconds compute{10e-3};
  Bytes gradient{100e6};
  int tensors = 1;

  static void describe(Description<Synthetic>& d);
  std::string invalid() const;
  Network make(const Location& at, Diagnostics& diagnostics) const override;
};
}  // namespace paceline
