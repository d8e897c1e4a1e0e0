// SPDX-License-Identifier: MIT
/// \file
/// Tables for a terminal, with columns as wide as their contents.
#pragma once
#include <string>
#include <vector>

namespace paceline {

struct TextColumn {
  std::string title;
  bool number = false;  ///< aligned to the right
};

/// The rows below their titles. Columns with only empty cells are left out.
std::string text_table(const std::vector<TextColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows);

/// The number of terminal columns of UTF-8 text; colour sequences count as 0.
std::size_t width_of(const std::string& text);

/// A number with this many significant digits and without an exponent.
std::string significant(double value, int digits);

/// As `significant`, with commas between thousands: "45,000". Requires value >= 0.
std::string thousands(double value, int digits);

}  // namespace paceline
