// SPDX-License-Identifier: MIT
/// \file
/// Writes files whole: a reader sees the old text or the new one, never a half, whenever the
/// program or the computer stops.
#pragma once
#include <filesystem>
#include <string>
#include <system_error>

namespace paceline {

/// Its text names the path and the reason: "cannot write a/b.csv (No space left on device)".
class WriteError : public std::system_error {
 public:
  WriteError(std::error_code reason, const std::string& problem);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Writes `text` beside `path`, flushes it to the disk and renames it. Makes the folders on the
/// way. Throws WriteError and leaves nothing behind.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace paceline
