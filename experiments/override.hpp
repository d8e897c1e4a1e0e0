// SPDX-License-Identifier: MIT
/// \file
/// `--set key=value`: changes one key of a document before it is read. The key is a dotted path
/// (`stragglers.compute.mean`), the value flow YAML (`workers=[1, 2]`, `update={kind: k-sync, k:
/// 2}`).
#pragma once
#include <string>
#include <vector>

#include "experiments/tree.hpp"

namespace paceline {

/// Sets one key of `root`, given as written after `--set`. Maps on the way are made where they are
/// missing; a bare name on the way becomes `{kind: name}`, so `update.k=2` works on `update:
/// k-sync`. What stood there before is replaced whole. Errors stand at `--set KEY=VALUE:1:COLUMN`,
/// with the column in the given text, and so do later errors about the new value. Throws SpecError.
void apply_override(Tree& root, const std::string& assignment);

/// All of a command line's overrides, in their order; every mistake among them is reported.
void apply_overrides(Tree& root, const std::vector<std::string>& assignments);

}  // namespace paceline
