// SPDX-License-Identifier: MIT
#include "cli/wrapped_text.hpp"

#include <sstream>

#include "cli/text_table.hpp"

namespace paceline {

std::string wrapped(const std::string& text, std::size_t column, std::size_t indent,
                    std::size_t width) {
  std::istringstream words(text);
  std::string out;
  bool begun = false;  // the line has a word
  for (std::string word; words >> word;) {
    const std::size_t size = width_of(word);
    if (begun && column + 1 + size > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      begun = false;
    }
    out += (begun ? " " : "") + word;
    column += (begun ? 1 : 0) + size;
    begun = true;
  }
  return out + "\n";
}

void Glossary::add(const std::string& term, const std::string& meaning) {
  const std::size_t indent = widest_ + 4;
  text_ += "  " + term;
  if (meaning.empty()) {
    text_ += "\n";
    return;
  }
  const std::size_t size = width_of(term);
  text_ += size > widest_ ? "\n" + std::string(indent, ' ') : std::string(indent - 2 - size, ' ');
  text_ += wrapped(meaning, indent, indent);
}

}  // namespace paceline
