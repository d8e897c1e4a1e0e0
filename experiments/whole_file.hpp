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
/// way. Throws WriteError and leaves nothing behind; what a killed program has left in the folder
/// goes with the next file that is written there.
void write_whole(const std::filesystem::path& path, const std::string& text);

/// Throws WriteError where write_whole() could not write: before work whose result goes there.
/// Makes the folders on the way.
void expect_writable(const std::filesystem::path& path);

}  // namespace paceline
