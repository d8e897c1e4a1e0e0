// SPDX-License-Identifier: MIT
/// \file
/// Writes files whole: a reader sees the old text or the new one, never a half, whenever the
/// program or the computer stops.
#pragma once
#include <filesystem>
#include <string>

namespace paceline {

/// Writes `text` beside `path`, flushes it to the disk and renames it. Makes the folders on the
/// way. Throws std::runtime_error naming the path and the reason.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace paceline
