// SPDX-License-Identifier: MIT
#include "experiments/language/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace paceline {
namespace {

TypeInfo named(const char* name) {
  TypeInfo info;
  info.name = name;
  return info;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The text without its minus sign.
std::string_view magnitude(std::string_view text) {
  return text.starts_with('-') ? text.substr(1) : text;
}

/// The list that "1,2,4" or "1..8" stands for, as a file writes it; "" for any other text.
std::string as_list(const Tree& tree) {
  if (!tree.is_scalar()) return "";
  const std::string& text = tree.text;
  if (const std::size_t dots = text.find(".."); dots != std::string::npos) {
    int first = 0, last = 0;
    const char* end = text.data() + text.size();
    const auto low = std::from_chars(text.data(), text.data() + dots, first);
    const auto high = std::from_chars(text.data() + dots + 2, end, last);
    if (low.ec != std::errc{} || low.ptr != text.data() + dots || high.ec != std::errc{} ||
        high.ptr != end || first < 0 || last <= first)
      return "";
    std::string list = "[" + std::to_string(first);
    constexpr int kMostShown = 8;
    if (last - first >= kMostShown)
      return list + ", " + std::to_string(first + 1) + ", ..., " + std::to_string(last) + "]";
    for (int value = first + 1; value <= last; ++value) list += ", " + std::to_string(value);
    return list + "]";
  }
  const bool numbers = !text.empty() && is_digit(text.front()) && is_digit(text.back()) &&
                       text.find_first_not_of("0123456789, ") == std::string::npos;
  return numbers && text.find(',') != std::string::npos ? "[" + text + "]" : "";
}

/// The reason why text is not an integer, with the correct form if it can be derived.
std::string integer_problem(const Tree& tree) {
  std::string start = quote(tree) + " is not an integer";
  if (const std::string list = as_list(tree); !list.empty())
    return start + " (several values are a list: " + list + ")";
  if (const std::string hint = number_hint(tree); !hint.empty()) return start + hint;
  double value = 0;
  std::string_view rest;
  if (!leading_number(tree, value, rest) || !rest.empty()) return start;
  if (value != std::floor(value) || std::fabs(value) > 1e15) return start;
  return start + " (write it as " + print_number(value) + ")";
}

template <class Integer>
bool read_integer(Integer& out, const Tree& tree, Diagnostics& diagnostics) {
  using Limits = std::numeric_limits<Integer>;
  std::string problem;
  if (tree.is_scalar() && number_hint(tree).empty()) {
    const char* end = tree.text.data() + tree.text.size();
    Integer value = 0;
    const auto [rest, error] = std::from_chars(tree.text.data(), end, value);
    if (error == std::errc{} && rest == end) {
      out = value;
      return true;
    }
    const std::string_view digits = magnitude(tree.text);
    const bool integer = !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
    if (integer) {
      problem = quote(tree) + " is out of range (" + std::to_string(Limits::min()) + " to " +
                std::to_string(Limits::max()) + ")";
    }
  }
  diagnostics.error(tree.at, problem.empty() ? integer_problem(tree) : problem);
  return false;
}

}  // namespace

bool leading_number(const Tree& tree, double& value, std::string_view& rest) {
  if (!tree.is_scalar() || !number_hint(tree).empty()) return false;
  const char* end = tree.text.data() + tree.text.size();
  const auto [stop, error] = std::from_chars(tree.text.data(), end, value);
  if (error != std::errc{} || !std::isfinite(value)) return false;
  rest = std::string_view(stop, static_cast<std::size_t>(end - stop));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return true;
}

std::string number_hint(const Tree& tree) {
  if (!tree.is_scalar()) return "";
  const std::string_view digits = magnitude(tree.text);
  const bool number = !digits.empty() && is_digit(digits[0]);
  if (tree.quoted) return number ? " (quoted text is not a number)" : "";
  if (digits.starts_with("0x") || digits.starts_with("0o") || digits.starts_with("0b")) {
    return " (write it in decimal)";
  }
  if (number && digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) {
    return " (write it without the leading 0)";
  }
  if (number && digits.find_first_not_of("0123456789_") == std::string_view::npos &&
      digits.find('_') != std::string_view::npos) {
    return " (write it without '_')";
  }
  if (tree.text.size() > 1 && tree.text[0] == '+' && is_digit(tree.text[1])) {
    return " (write it without '+')";
  }
  for (const std::string_view word :
       {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", "inf", "nan"}) {
    if (digits == word) return " (it must be finite)";
  }
  return "";
}

std::string print_number(double value) {
  if (std::isnan(value)) return "nan";  // the sign of a NaN has no meaning
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-5 && size < 1e15);
  std::array<char, 64> text{};
  char* const end = text.data() + text.size();
  const auto result = plain ? std::to_chars(text.data(), end, value, std::chars_format::fixed)
                            : std::to_chars(text.data(), end, value);
  return std::string(text.data(), result.ptr);
}

TypeInfo Value<double>::type() {
  return named("number");
}
bool Value<double>::read(double& out, const Tree& tree, Diagnostics& diagnostics) {
  double value = 0;
  std::string_view rest;
  if (leading_number(tree, value, rest) && rest.empty()) {
    out = value;
    return true;
  }
  diagnostics.error(tree.at, quote(tree) + " is not a number" + number_hint(tree));
  return false;
}
Tree Value<double>::write(const double& value) {
  return Tree::scalar(print_number(value));
}

TypeInfo Value<int>::type() {
  return named("integer");
}
bool Value<int>::read(int& out, const Tree& tree, Diagnostics& diagnostics) {
  return read_integer(out, tree, diagnostics);
}
Tree Value<int>::write(const int& value) {
  return Tree::scalar(std::to_string(value));
}

TypeInfo Value<std::int64_t>::type() {
  return named("integer");
}
bool Value<std::int64_t>::read(std::int64_t& out, const Tree& tree, Diagnostics& diagnostics) {
  return read_integer(out, tree, diagnostics);
}
Tree Value<std::int64_t>::write(const std::int64_t& value) {
  return Tree::scalar(std::to_string(value));
}

TypeInfo Value<std::uint64_t>::type() {
  return named("integer");
}
bool Value<std::uint64_t>::read(std::uint64_t& out, const Tree& tree, Diagnostics& diagnostics) {
  return read_integer(out, tree, diagnostics);
}
Tree Value<std::uint64_t>::write(const std::uint64_t& value) {
  return Tree::scalar(std::to_string(value));
}

TypeInfo Value<bool>::type() {
  return named("true or false");
}
bool Value<bool>::read(bool& out, const Tree& tree, Diagnostics& diagnostics) {
  if (tree.is_scalar() && !tree.quoted && (tree.text == "true" || tree.text == "false")) {
    out = tree.text == "true";
    return true;
  }
  diagnostics.error(tree.at, quote(tree) + " is neither true nor false");
  return false;
}
Tree Value<bool>::write(const bool& value) {
  return Tree::scalar(value ? "true" : "false");
}

TypeInfo Value<std::string>::type() {
  return named("text");
}
bool Value<std::string>::read(std::string& out, const Tree& tree, Diagnostics& diagnostics) {
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  };
  std::string wrong;
  if (!tree.is_scalar()) {
    wrong = quote(tree) + " is not text";
  } else if (tree.text.empty()) {
    wrong = "the text is empty";
  } else if (std::any_of(tree.text.begin(), tree.text.end(), is_control)) {
    wrong = quote(tree.text) + " contains a control character";
  } else {
    out = tree.text;
    return true;
  }
  diagnostics.error(tree.at, wrong);
  return false;
}
Tree Value<std::string>::write(const std::string& value) {
  if (value.empty()) return {};
  return Tree::quoted_scalar(value);  // "8" must read back as text, not as a number
}

TypeInfo Value<Tree>::type() {
  return named("anything");
}
bool Value<Tree>::read(Tree& out, const Tree& tree, Diagnostics&) {
  out = tree;
  return true;
}
Tree Value<Tree>::write(const Tree& value) {
  return value;
}

TypeInfo type_of_names(std::vector<std::string> names) {
  TypeInfo info = named("name");
  info.choices = std::move(names);
  return info;
}

int index_of_name(const Tree& tree, const TypeInfo& type, Diagnostics& diagnostics) {
  const auto& names = type.choices;
  const auto found = std::find(names.begin(), names.end(), tree.text);
  if (tree.is_scalar() && found != names.end()) return static_cast<int>(found - names.begin());
  diagnostics.error(tree.at, unknown_name("name", to_flow(tree), names));
  return -1;
}

}  // namespace paceline
