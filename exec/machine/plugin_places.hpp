// SPDX-License-Identifier: MIT
/// \file
/// The possible files of a plug-in (CUDA or MPI).
#pragma once
#include <filesystem>
#include <vector>

namespace paceline {

/// The possible paths of `file`, in order of preference. If the environment variable `variable` is
/// set, its value is the only one; otherwise the folder of the running program and ../lib/paceline
/// from there.
std::vector<std::filesystem::path> plugin_places(const char* file, const char* variable);

/// The first path that is a file; "" if there is none.
std::filesystem::path first_file(const std::vector<std::filesystem::path>& places);

}  // namespace paceline
