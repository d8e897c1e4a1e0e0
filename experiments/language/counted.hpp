// SPDX-License-Identifier: MIT
/// \file
/// Formats a count with its noun for messages, in the singular or the plural.
#pragma once
#include <string>

namespace paceline {

/// "1 worker", "2 workers".
template <class Count>
std::string counted(Count count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace paceline
