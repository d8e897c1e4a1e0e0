// SPDX-License-Identifier: MIT
#include "experiments/language/text_check.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace paceline {
namespace {

/// The length of the UTF-8 character at the start of `text`; 0 if it is invalid (Unicode 15, table
/// 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !continues(1)) return 0;
  if (first < 0xE0) return 2;
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (!continues(2)) return 0;
  if (first < 0xF0) return 3;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return continues(3) ? 4 : 0;
}

std::string hex(unsigned char byte) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "0x%02x", static_cast<unsigned>(byte));
  return text.data();
}

}  // namespace

std::string checked_text(const std::shared_ptr<const std::string>& file, const std::string& text) {
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  std::string out;
  out.reserve(rest.size());
  Location at{file, 1, 1};
  while (!rest.empty()) {
    const std::size_t length = utf8_length(rest);
    const auto byte = static_cast<unsigned char>(rest.front());
    if (length == 0)
      throw SpecError(at, "byte " + hex(byte) + " is not UTF-8 (save the file as UTF-8)");
    if (byte == '\n' || byte == '\r') {
      rest.remove_prefix(rest.starts_with("\r\n") ? 2 : 1);
      out += '\n';
      ++at.line;
      at.column = 1;
      continue;
    }
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F) {
      throw SpecError(at, "control character " + hex(byte) + " in the text");
    }
    out += rest.substr(0, length);
    rest.remove_prefix(length);
    ++at.column;
  }
  return out;
}

int tab_in_indentation(const std::string& text, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line && begin != std::string::npos; ++i) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return 0;
  const std::size_t end = text.find_first_not_of(" \t", begin);
  const std::size_t tab = text.find('\t', begin);
  if (tab == std::string::npos || (end != std::string::npos && tab > end)) return 0;
  return static_cast<int>(tab - begin) + 1;
}

}  // namespace paceline
