// SPDX-License-Identifier: MIT
/// \file
/// Compresses text to the gzip format and back. Equal texts give equal bytes.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace paceline {

/// Compresses a text given in pieces.
class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  void add(std::string_view text);
  /// The whole file. No text may be added afterwards.
  std::string finish();

 private:
  struct Stream;
  void deflate_all(int flush);

  std::unique_ptr<Stream> stream_;
  std::string packed_;
};

/// The uncompressed text; nothing if `packed` is not a complete gzip file.
std::optional<std::string> gunzip(std::string_view packed);

}  // namespace paceline
