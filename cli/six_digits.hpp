// SPDX-License-Identifier: MIT
/// \file
/// Measured and fitted numbers without digits that mean nothing.
#pragma once
#include "experiments/tree.hpp"

namespace paceline {

/// Every quantity in `tree` with six significant digits. Numbers without a unit may be counts: they
/// are rounded only where `bare_too`.
Tree six_digits(Tree tree, bool bare_too = false);

}  // namespace paceline
