// SPDX-License-Identifier: MIT
/// \file
/// Rounds measured and fitted numbers to their meaningful digits.
#pragma once
#include "experiments/language/tree.hpp"

namespace paceline {

/// Rounds every quantity in `tree` to six significant digits. Numbers without a unit may be counts
/// and are rounded only with `bare_too`.
Tree six_digits(Tree tree, bool bare_too = false);

}  // namespace paceline
