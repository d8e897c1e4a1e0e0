// SPDX-License-Identifier: MIT
/// \file
/// The folders that the program reads at run time: plots/ and experiments/.
#pragma once
#include <filesystem>
#include <string>

namespace paceline {

/// "plots" or "experiments": ../share/paceline/NAME from the running program where that exists (an
/// installed copy, wherever it was moved to), else NAME in the source tree that it was built from.
std::filesystem::path data_folder(const std::string& name);

}  // namespace paceline
