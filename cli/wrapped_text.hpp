// SPDX-License-Identifier: MIT
/// \file
/// Text in lines of at most 80 columns.
#pragma once
#include <string>

namespace paceline {

/// `text`, which goes on at column `column` of a line already begun, broken at blanks; further
/// lines are indented by `indent`. Ends with a newline. A word longer than a line stands alone.
std::string wrapped(const std::string& text, std::size_t column, std::size_t indent,
                    std::size_t width = 80);

/// Terms and what they mean in two columns, indented by two blanks; a term too wide for its column
/// has its meaning on the next line.
class Glossary {
 public:
  /// `widest`: of the first column, in characters.
  explicit Glossary(std::size_t widest) : widest_(widest) {}
  void add(const std::string& term, const std::string& meaning);
  const std::string& text() const { return text_; }

 private:
  std::size_t widest_;
  std::string text_;
};

}  // namespace paceline
