// SPDX-License-Identifier: MIT
/// \file
/// The page on update policies (docs/policies.md), made from the rows of the policies, of the
/// staleness rules and of the schedules, and from the theory of examples.
#pragma once
#include <string>

namespace paceline {

/// Markdown: what all policies share, a table of them, each one's statement, keys and examples,
/// what a worker's death means, and what becomes of the learning rate.
std::string policies_page();

}  // namespace paceline
