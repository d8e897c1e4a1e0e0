// SPDX-License-Identifier: MIT
/// \file
/// Connects each gradient with the update that applied it, as pairs of spans.
#pragma once
#include <vector>

#include "training/results/trace/span.hpp"

namespace paceline {

struct Arrow {
  const Span* from = nullptr;  ///< the gradient's last copy; its arithmetic if it needed no copy
  const Span* to = nullptr;    ///< the update
};

/// In order of the accepted gradients, one arrow for each of the `roles` that updates weights with
/// the gradient. For an all-reduce, an arrow goes from the last arrival at a worker to its update.
/// A gradient or update without its counterpart in the trace has no arrow. `trace` must outlive the
/// result.
std::vector<Arrow> gradient_arrows(const Trace& trace, int roles);

}  // namespace paceline
