// SPDX-License-Identifier: MIT
/// \file
/// Wraps text into lines of at most 80 columns.
#pragma once
#include <string>

namespace paceline {

/// `text` wrapped at blanks. The first line continues at column `column` of a started line; further
/// lines are indented by `indent`. Ends with a newline. A word longer than a line has a line of its
/// own.
std::string wrapped(const std::string& text, std::size_t column, std::size_t indent,
                    std::size_t width = 80);

/// A list of terms and their meanings in two columns, indented by two blanks. The meaning of a term
/// that is too wide for its column follows on the next line.
class Glossary {
 public:
  /// `widest`: characters of the first column.
  explicit Glossary(std::size_t widest) : widest_(widest) {}
  void add(const std::string& term, const std::string& meaning);
  const std::string& text() const { return text_; }

 private:
  std::size_t widest_;
  std::string text_;
};

}  // namespace paceline
