// SPDX-License-Identifier: MIT
/// \file
/// The generated tables of docs/policies.md and docs/policies/<name>.md: the properties of the
/// policies, the schedules and the staleness rules, and theoretical values of examples.
#pragma once
#include <string>

namespace paceline {

/// All tables as Markdown, each between the markers `<!-- generated: NAME -->` and
/// `<!-- end: NAME -->` of its page: `policies`, `schedules` and `staleness-rules` are for
/// docs/policies.md, every other one has the name of its policy.
std::string policy_tables();

}  // namespace paceline
