// SPDX-License-Identifier: MIT
#include "cli/summary.hpp"

#include "cli/agreement.hpp"
#include "cli/findings.hpp"

namespace paceline {

Summary summary_of(const std::vector<ResultRow>& rows, const SweptLabels& labels) {
  Summary summary;
  summary.findings = findings(rows, labels);
  summary.agreement = agreement(rows, labels);
  return summary;
}

}  // namespace paceline
