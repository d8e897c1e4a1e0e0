// SPDX-License-Identifier: MIT
/// \file
/// Columns of text for a terminal, as wide as they need to be.
#pragma once
#include <string>
#include <vector>

namespace paceline {

struct TextColumn {
  std::string title;
  bool number = false;  ///< aligned to the right
};

/// The rows below their titles. A column in which all cells are empty is left out.
std::string text_table(const std::vector<TextColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows);

/// Columns that UTF-8 text takes on a terminal; a sequence that sets a colour takes none.
std::size_t width_of(const std::string& text);

/// A number with so many significant digits, without an exponent.
std::string significant(double value, int digits);

/// The same with commas between thousands: "45,000". Requires a value that is not negative.
std::string thousands(double value, int digits);

}  // namespace paceline
