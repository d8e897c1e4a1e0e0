// SPDX-License-Identifier: MIT
/// \file
/// docs/validation.md: every published row beside its prediction.
#pragma once
#include <string>
#include <vector>

#include "cli/published_checks.hpp"
#include "cli/stage_checks.hpp"

namespace paceline {

struct ValidatedTable {
  const ExperimentFile* file = nullptr;
  std::vector<PublishedCheck> checks;
  std::vector<StageCheck> stages;
};

/// The page, in Markdown. No row is left out.
std::string validation_page(const std::vector<ValidatedTable>& tables);

}  // namespace paceline
