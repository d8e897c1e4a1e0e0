// SPDX-License-Identifier: MIT
/// \file
/// Which update took up which gradient, as pairs of spans.
#pragma once
#include <vector>

#include "training/trace/span.hpp"

namespace paceline {

struct Arrow {
  const Span* from =
      nullptr;               ///< the gradient's last copy, or its arithmetic where none was needed
  const Span* to = nullptr;  ///< the update
};

/// In order of the gradients taken, one for each of the `roles` that updates weights with it; of an
/// all-reduce, from what arrived last at a worker to its update. Gradients and updates of which
/// only one is in the trace have none. `trace` must outlive the result.
std::vector<Arrow> gradient_arrows(const Trace& trace, int roles);

}  // namespace paceline
