// SPDX-License-Identifier: MIT
/// \file
/// A network of which only time and gradient size are known.
#pragma once
#include <string>

#include "experiments/unit_table.hpp"
#include "models/network_kind.hpp"

namespace paceline {

/// **Does** no arithmetic. `compute` is one mini-batch, a third of it forward; `gradient` holds
/// 4 bytes a parameter. Time and gradient are spread evenly over `tensors` layers.
struct Synthetic final : NetworkKind {
  Seconds compute{10e-3};
  Bytes gradient{100e6};
  int tensors = 1;

  static void describe(Description<Synthetic>& d);
  std::string invalid() const;
  Network make(const Location& at, Diagnostics& diagnostics) const override;
};
}  // namespace paceline
