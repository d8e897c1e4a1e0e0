// SPDX-License-Identifier: MIT
/// \file
/// Jobs that share a machine: by how much each is slower than alone.
#pragma once
#include <string>
#include <vector>

#include "cli/speedup.hpp"
#include "cli/swept_labels.hpp"

namespace paceline {

/// Whether some of the rows are of a job beside others.
bool are_jobs(const std::vector<ResultRow>& rows);

/// A sentence for each job, those that lose most first; of many jobs only these.
std::vector<std::string> job_findings(const std::vector<ResultRow>& rows,
                                      const SweptLabels& labels);

}  // namespace paceline
