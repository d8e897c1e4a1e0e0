// SPDX-License-Identifier: MIT
/// \file
/// Tables for a terminal, with columns as wide as their contents, or in Markdown.
#pragma once
#include <string>
#include <vector>

namespace paceline {

struct TextColumn {
  std::string title;
  bool number = false;  ///< aligned to the right
};

enum class TableStyle { aligned, markdown };

inline TableStyle table_style(bool markdown) {
  return markdown ? TableStyle::markdown : TableStyle::aligned;
}

/// The rows below their titles. Columns with only empty cells are left out. A Markdown table is
/// set off by blank lines (`page_of` merges these).
/// \param most characters in a line of an aligned table: its widest texts are wrapped; 0: no limit
std::string text_table(const std::vector<TextColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows,
                       TableStyle style = TableStyle::aligned, std::size_t most = 0);

/// Text with tables as printed. In Markdown, blank lines at the beginning are left out, and several
/// elsewhere become one.
std::string page_of(const std::string& text, TableStyle style);

/// Lines as they are, or as the items of a Markdown list.
std::string list_of(const std::vector<std::string>& lines, TableStyle style);

/// The number of terminal columns of UTF-8 text; colour sequences count as 0.
std::size_t width_of(const std::string& text);

/// A number with this many significant digits and without an exponent.
std::string significant(double value, int digits);

/// As `significant`, with commas between thousands: "45,000". Requires value >= 0.
std::string thousands(double value, int digits);

}  // namespace paceline
