// SPDX-License-Identifier: MIT
/// \file
/// Text as a gzip file and back. The same text gives the same bytes.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace paceline {

/// Compresses a text that comes in pieces.
class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  void add(std::string_view text);
  /// The whole file; nothing may be added after it.
  std::string finish();

 private:
  struct Stream;
  void deflate_all(int flush);

  std::unique_ptr<Stream> stream_;
  std::string packed_;
};

/// Nothing where `packed` is no whole gzip file.
std::optional<std::string> gunzip(std::string_view packed);

}  // namespace paceline
