// SPDX-License-Identifier: MIT
#include "topology/import/matrix_words.hpp"

#include <cctype>

namespace paceline {
namespace {

/// Removes the terminal escapes for colour and underlining.
std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      if (text[i] != '\r') plain += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') ++i;
    while (i + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[i + 1])) == 0 &&
           text[i + 1] != '\n') {
      ++i;
    }
    if (i + 1 < text.size() && text[i + 1] != '\n') ++i;
  }
  return plain;
}

}  // namespace

std::vector<MatrixLine> matrix_lines(const std::string& text) {
  std::vector<MatrixLine> lines(1);
  int column = 0;
  bool in_word = false;
  for (const char c : without_escapes(text)) {
    if (c == '\n') {
      lines.emplace_back();
      column = 0;
      in_word = false;
      continue;
    }
    ++column;
    const bool blank = c == ' ' || c == '\t';
    MatrixLine& line = lines.back();
    if (!blank && !in_word) line.push_back({"", static_cast<int>(lines.size()), column});
    if (!blank) line.back().text += c;
    in_word = !blank;
  }
  return lines;
}

}  // namespace paceline
