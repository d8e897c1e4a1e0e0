// SPDX-License-Identifier: MIT
/// \file
/// Coloured text on a terminal, and the properties of the terminal.
#pragma once
#include <string>

namespace paceline {

enum class Colour { red, green, yellow, cyan, bold, dim };

/// `text` between escape sequences if `on` (Terminal::colour, Terminal::out_colour); otherwise
/// unchanged.
std::string coloured(const std::string& text, Colour colour, bool on);

/// Error lines with "error:" in red and "note:" in yellow if `on`.
std::string coloured_errors(const std::string& lines, bool on);

/// True if a file descriptor is a terminal with a movable cursor: TERM is set and is not `dumb`.
bool is_terminal(int descriptor);

/// True unless the user disabled colour with NO_COLOR (https://no-color.org).
bool colour_allowed();

/// The columns of the terminal; 80 if unknown.
int terminal_width(int descriptor);
/// The columns of the standard output: those of COLUMNS, of the terminal, or 80.
int columns_of_output();

}  // namespace paceline
