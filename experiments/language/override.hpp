// SPDX-License-Identifier: MIT
/// \file
/// `--set key=value`: changes one key of a document before it is read. The key is a dotted path
/// (`stragglers.compute.mean`); the value is flow YAML (`workers=[1, 2]`, `update={kind: k-sync, k:
/// 2}`).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "experiments/language/tree.hpp"

namespace paceline {

/// Sets one key of `root`; `assignment` is the text after `--set`. Missing maps along the path are
/// created. A bare name along the path becomes `{kind: name}`, so `update.k=2` works on `update:
/// k-sync`; at a path in `references` it becomes `{of: name}` (changed_document.hpp), so
/// `machine.price=3 USD/h` works on `machine: dgx-a100`. The old value is replaced as a whole; an
/// empty value (null) removes the key. Errors, including later errors about the new value, stand at
/// `--set KEY=VALUE:1:COLUMN`, with the column in `assignment`. Throws SpecError.
void apply_override(Tree& root, const std::string& assignment,
                    std::span<const std::string> references = {});

/// Applies all overrides of a command line in order. Throws one SpecError with the errors of all of
/// them.
void apply_overrides(Tree& root, const std::vector<std::string>& assignments,
                     std::span<const std::string> references = {});

}  // namespace paceline
