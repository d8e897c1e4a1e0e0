// SPDX-License-Identifier: MIT
/// \file
/// Writes files atomically: a reader sees either the old text or the new text, even if the program
/// or the computer stops during the write.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>

namespace paceline {

/// A file could not be written. The message names the path and the reason: "cannot write a/b.csv
/// (No space left on device)".
class WriteError : public std::system_error {
 public:
  WriteError(std::error_code reason, const std::string& problem);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Writes `text` to a temporary file beside `path`, flushes it to the disk and renames it to
/// `path`. Creates missing folders. Throws WriteError and then leaves no temporary file. A device,
/// a pipe or a folder at `path`, or a link to one, is never replaced; a link to a file is. A
/// process's first write to a folder also removes the temporary files that killed programs left
/// there.
void write_whole(const std::filesystem::path& path, const std::string& text);

/// As write_whole(), but leaves it to the system when the text reaches the disk: if the computer
/// stops, the file may be empty. For texts that carry a checksum and can be made again.
void write_whole_unflushed(const std::filesystem::path& path, const std::string& text);

/// Calls `write` and returns the message of the WriteError that it throws; "" if none.
std::string write_problem(const std::function<void()>& write);

/// Throws WriteError if write_whole() could not write `path`; to be called before long work with a
/// result for `path`. Creates missing folders.
void expect_writable(const std::filesystem::path& path);

}  // namespace paceline
