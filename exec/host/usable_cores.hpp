// SPDX-License-Identifier: MIT
/// \file
/// The cores of this computer that this process may run on.
#pragma once

namespace paceline {

/// How many there are, at least 1.
int usable_cores();

}  // namespace paceline
