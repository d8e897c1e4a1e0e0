// SPDX-License-Identifier: MIT
/// \file
/// Reads the text files that tests keep compressed.
#pragma once
#include <array>
#include <stdexcept>
#include <string>

#include <zlib.h>

namespace paceline::test {

/// The text of a file, compressed by gzip or not. Throws if it cannot be read completely.
inline std::string gzipped_text(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot read " + path);
  std::string text;
  std::array<char, 65536> part{};
  int count = 0;
  while ((count = gzread(file, part.data(), part.size())) > 0) {
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  const int end = gzclose(file);
  if (count < 0 || end != Z_OK) throw std::runtime_error(path + " is damaged");
  return text;
}

}  // namespace paceline::test
