// SPDX-License-Identifier: MIT
/// \file
/// What a card answers that is asked for groups of SMs, for tests.
#pragma once
#include <string>

#include "exec/cuda/machine/green_contexts.hpp"

namespace paceline::cuda {

/// Why a card cannot be split into so many groups; "" where it can.
inline std::string refused(int groups) {
  try {
    const GreenContexts green(0, groups);
    return "";
  } catch (const NoGreenContexts& error) {
    return error.what();
  }
}

}  // namespace paceline::cuda
