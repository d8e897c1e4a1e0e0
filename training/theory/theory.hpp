// SPDX-License-Identifier: MIT
/// \file
/// The expected values of an update policy when communication is free: the mean time between two
/// updates and the mean staleness. Each policy computes its own from its TimedWorkers; the formulas
/// that several policies share are here. The report draws theory beside prediction and measurement.
///
/// Sources: Dutta et al., AISTATS 2018, arXiv:1803.01113 and arXiv:2003.10579; the staleness by
/// Little's law. docs/model.md has the derivations.
#pragma once
#include <optional>

#include "training/theory/timed_workers.hpp"

namespace paceline {

/// Expected values in the long run.
struct Theory {
  Seconds iteration;                  ///< between two updates of the model
  bool bound = false;                 ///< `iteration` is an upper bound
  std::optional<double> staleness{};  ///< mean over the gradients applied, in updates
  std::optional<double> fresh{};      ///< share of them with a staleness of 0
};

// Each is empty where the expectation does not exist. P is workers.count(); requires 1 <= k <= P.

/// Every update waits for the gradients of the first k workers and restarts all P, so no gradient
/// is stale.
std::optional<Theory> first_k_then_restart(const TimedWorkers& workers, int k);

/// Every k mini-batches of any workers make an update, and no worker ever waits. No staleness: it
/// depends on the times at which workers fetch.
std::optional<Theory> every_k_mini_batches(const TimedWorkers& workers, int k);

/// An update takes the gradients of k different workers; only these workers wait for it and
/// restart. A bound if a new mini-batch lasts at least as long as the rest of one under way; empty
/// if neither this nor its opposite is known.
std::optional<Theory> k_different_workers(const TimedWorkers& workers, int k);

}  // namespace paceline
