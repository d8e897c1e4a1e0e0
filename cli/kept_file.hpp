// SPDX-License-Identifier: MIT
/// \file
/// Files that the user names: one that exists is kept.
#pragma once
#include <filesystem>

#include "cli/options.hpp"

namespace paceline {

/// Throws SpecError if `file` exists, unless --force was given.
void expect_absent(const std::filesystem::path& file, const Options& options);

}  // namespace paceline
