// SPDX-License-Identifier: MIT
/// \file
/// Finds the folders that the program reads at run time: plots/ and experiments/.
#pragma once
#include <filesystem>
#include <string>

namespace paceline {

/// The path of "plots" or "experiments": ../share/paceline/NAME relative to the running program if
/// it exists (an installed copy, which may have been moved), otherwise NAME in the source tree of
/// the build.
std::filesystem::path data_folder(const std::string& name);

}  // namespace paceline
