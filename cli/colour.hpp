// SPDX-License-Identifier: MIT
/// \file
/// Colour of text on a terminal.
#pragma once
#include <string>

namespace paceline {

enum class Colour { red, green, yellow, cyan, bold, dim };

/// `text` between escape sequences, or as it is unless `on` (Terminal::colour,
/// Terminal::out_colour).
std::string coloured(const std::string& text, Colour colour, bool on);

/// Lines of errors with "error:" in red and "note:" in yellow, where `on`.
std::string coloured_errors(const std::string& lines, bool on);

/// Whether a file descriptor is a terminal that a cursor can be moved on: TERM is set and not
/// `dumb`.
bool is_terminal(int descriptor);

/// Whether colour is wanted on such a terminal: NO_COLOR (https://no-color.org) is not set.
bool wants_colour();

/// Columns of the terminal; 80 where that is not known.
int terminal_width(int descriptor);

}  // namespace paceline
