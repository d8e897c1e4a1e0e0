// SPDX-License-Identifier: MIT
/// \file
/// The reason why a card refuses to be split, for tests.
#pragma once
#include <string>

#include "exec/cuda/machine/green_contexts.hpp"

namespace paceline::cuda {

/// "" or why the card cannot be split into `groups`.
inline std::string refused(int groups) {
  try {
    const GreenContexts green(0, groups);
    return "";
  } catch (const NoGreenContexts& error) {
    return error.what();
  }
}

}  // namespace paceline::cuda
