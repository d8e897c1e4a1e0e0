// SPDX-License-Identifier: MIT
/// \file
/// Files that the user names: one that exists is kept, and one that cannot be written is refused.
#pragma once
#include <filesystem>
#include <string>

#include "cli/options.hpp"

namespace paceline {

/// Throws SpecError if `file` exists, unless --force was given.
void expect_absent(const std::filesystem::path& file, const Options& options);

/// Throws SpecError if `file` cannot be written: before minutes of measuring, not after.
/// \param other what to give with -o instead: "folder"
void expect_place(const std::filesystem::path& file, const std::string& other);

}  // namespace paceline
