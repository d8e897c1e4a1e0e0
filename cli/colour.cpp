// SPDX-License-Identifier: MIT
#include "cli/colour.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace paceline {
namespace {

// Escape sequences: Select Graphic Rendition of ECMA-48.
const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::red:
      return "31";
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::cyan:
      return "36";
    case Colour::bold:
      return "1";
    case Colour::dim:
      return "2";
  }
  return "0";
}

}  // namespace

std::string coloured(const std::string& text, Colour colour, bool on) {
  if (!on || text.empty()) return text;
  return std::string("\x1b[") + code_of(colour) + "m" + text + "\x1b[0m";
}

std::string coloured_errors(const std::string& lines, bool on) {
  if (!on) return lines;
  std::string out;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size() - 1) + 1;
    std::string line = lines.substr(begin, end - begin);
    begin = end;
    for (const auto& [word, colour] :
         {std::pair{std::string("error:"), Colour::red}, {std::string("note:"), Colour::yellow}}) {
      const std::size_t at = line.find(word);
      if (at == std::string::npos) continue;
      line.replace(at, word.size(), coloured(word, colour, true));
      break;
    }
    out += line;
  }
  return out;
}

bool is_terminal(int descriptor) {
  const char* const term = std::getenv("TERM");
  if (term == nullptr || *term == '\0' || std::string_view(term) == "dumb") return false;
  return ::isatty(descriptor) == 1;
}

bool colour_allowed() {
  const char* const no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

int terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

int columns_of_output() {
  constexpr int kLeast = 40;  // tables of numbers are not narrower
  constexpr int kMost = 10'000;
  const char* const given = std::getenv("COLUMNS");
  const int columns = given != nullptr ? std::atoi(given) : 0;
  return std::clamp(columns > 0 ? columns : terminal_width(STDOUT_FILENO), kLeast, kMost);
}

}  // namespace paceline
