// SPDX-License-Identifier: MIT
/// \file
/// What a run has to say in words: the answer, how well prediction and observation agree, and where
/// the times of layers come from. The terminal, the manifest and the report show the same
/// sentences.
#pragma once
#include <string>
#include <vector>

#include "cli/execution_device.hpp"
#include "cli/rows.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

struct Summary {
  std::vector<std::string> findings;  ///< the most important first
  std::vector<std::string> agreement;
  std::vector<std::string> layer_times;  ///< each once
};

/// What follows from the rows alone. `rows` are sorted by point.
Summary summary_of(const std::vector<ResultRow>& rows, const SweptLabels& labels);

/// How many workers the largest points could have before something saturates; asks the simulator,
/// some 0.3 s a point, of the first two at most. In a run with measurements each says "predicted".
std::vector<std::string> saturations(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                                     Device asked, const Profile* profile);

}  // namespace paceline
