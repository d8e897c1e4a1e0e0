// SPDX-License-Identifier: MIT
#include "cli/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "cli/wrapped_text.hpp"

namespace paceline {

std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {  // skip to the letter that ends the sequence
      i = std::min(text.find('m', i), text.size());
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++width;
    }
  }
  return width;
}

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// A cell without the characters that have a meaning in Markdown.
std::string escaped(const std::string& cell) {
  std::string out;
  for (const char c : cell) {
    if (c == '|' || c == '*' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const std::vector<TextColumn>& columns, const Rows& rows) {
  std::string titles = "|", rule = "|";
  std::vector<std::string> lines(rows.size(), "|");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::all_of(rows, [i](const auto& row) { return row[i].empty(); })) continue;
    titles += " " + escaped(columns[i].title) + " |";
    rule += columns[i].number ? "--:|" : "---|";
    for (std::size_t row = 0; row < rows.size(); ++row)
      lines[row] += " " + escaped(rows[row][i]) + " |";
  }
  std::string out = "\n" + titles + "\n" + rule + "\n";
  for (const std::string& line : lines) out += line + "\n";
  return out + "\n";
}

constexpr std::size_t kBetween = 2;     // blanks between two columns
constexpr std::size_t kNarrowest = 14;  // columns of text that is wrapped

/// Makes the widest columns of text narrower until all are within `most`.
void narrow(std::vector<std::size_t>& widths, const std::vector<TextColumn>& columns,
            std::size_t most) {
  for (;;) {
    std::size_t all = 0;
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (widths[i] > 0) all += widths[i] + (all > 0 ? kBetween : 0);
      const bool wider = widest == nullptr || widths[i] > *widest;
      if (!columns[i].number && wider && widths[i] > kNarrowest) widest = &widths[i];
    }
    if (all <= most || widest == nullptr) return;
    *widest = std::max(kNarrowest, *widest - std::min(*widest, all - most));
  }
}

/// A cell in lines of at most `width` columns; further ones are indented where words have room.
std::vector<std::string> lines_of(const std::string& cell, std::size_t width) {
  if (width_of(cell) <= width) return {cell};
  std::istringstream words(cell);
  std::size_t longest = 0;
  for (std::string word; words >> word;) longest = std::max(longest, width_of(word));
  std::istringstream text(wrapped(cell, 0, longest + 2 <= width ? 2 : 0, width));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string text_table(const std::vector<TextColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows, TableStyle style,
                       std::size_t most) {
  if (style == TableStyle::markdown) return markdown_table(columns, rows);
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, width_of(row[i]));
    widths.push_back(widest == 0 ? 0 : std::max(widest, width_of(columns[i].title)));
  }
  if (most > 0) narrow(widths, columns, most);
  std::string out;
  const auto line = [&](const auto& cell) {
    std::string text;
    bool begun = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (widths[i] == 0) continue;
      if (begun) text += std::string(kBetween, ' ');
      begun = true;
      const std::size_t width = width_of(cell(i));
      const std::string padding(width < widths[i] ? widths[i] - width : 0, ' ');
      text += columns[i].number ? padding + cell(i) : cell(i) + padding;
    }
    while (text.ends_with(' ')) text.pop_back();
    out += text + "\n";
  };
  const auto row_of = [&](const auto& cell) {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool wraps = !columns[i].number && widths[i] > 0;
      lines.push_back(wraps ? lines_of(cell(i), widths[i]) : std::vector<std::string>{cell(i)});
      height = std::max(height, lines.back().size());
    }
    for (std::size_t at = 0; at < height; ++at) {
      line([&](std::size_t i) { return at < lines[i].size() ? lines[i][at] : std::string(); });
    }
  };
  row_of([&](std::size_t i) { return columns[i].title; });
  for (const auto& row : rows) row_of([&](std::size_t i) { return row[i]; });
  return out;
}

std::string page_of(const std::string& text, TableStyle style) {
  if (style == TableStyle::aligned) return text;
  std::string page;
  for (const char c : text) {
    if (c == '\n' && (page.empty() || page.ends_with("\n\n"))) continue;
    page += c;
  }
  while (page.ends_with("\n\n")) page.pop_back();
  return page;
}

std::string list_of(const std::vector<std::string>& lines, TableStyle style) {
  std::string text;
  for (const std::string& line : lines)
    text += (style == TableStyle::markdown ? "- " : "") + line + "\n";
  return text;
}

std::string significant(double value, int digits) {
  // rounds first: 9.99 with two digits is 10, not 10.0
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*e", std::max(digits - 1, 0), value);
  const double rounded = std::strtod(text.data(), nullptr);
  const double size = std::fabs(rounded);
  const int before = size < 1e-300 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  std::snprintf(text.data(), text.size(), "%.*f", std::clamp(digits - before, 0, 12), rounded);
  return text.data();
}

std::string thousands(double value, int digits) {
  std::string text = significant(value, digits);
  if (text.find('.') != std::string::npos) return text;
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace paceline
