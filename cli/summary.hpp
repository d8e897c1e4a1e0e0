// SPDX-License-Identifier: MIT
/// \file
/// Summarises a run in sentences: the findings, the agreement of predictions with observations, and
/// the sources of layer times. The terminal, the manifest and the report show the same sentences.
#pragma once
#include <string>
#include <vector>

#include "cli/execution_device.hpp"
#include "cli/speedup.hpp"
#include "cli/swept_labels.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

struct Summary {
  std::vector<std::string> findings;  ///< the most important first
  std::vector<std::string> agreement;
  std::vector<std::string> layer_times;  ///< without repeats
};

/// The part of the summary that follows from the rows. `rows` are sorted by point.
Summary summary_of(const std::vector<ResultRow>& rows, const SweptLabels& labels);

/// The saturation of the largest points: simulates the first two at most, about 0.3 s each. In a
/// run with measurements, each sentence says "predicted".
std::vector<std::string> saturations(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                                     Device device, const Profile* profile);

}  // namespace paceline
