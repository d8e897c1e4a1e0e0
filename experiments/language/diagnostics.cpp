// SPDX-License-Identifier: MIT
#include "experiments/language/diagnostics.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <tuple>

#include "experiments/language/other_words.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMaxLines = 100;  // a hostile file could cause millions
constexpr std::size_t kMaxQuoted = 60;

}  // namespace

std::string to_string(const Location& at) {
  std::string file = at.file ? *at.file : std::string("input");
  if (at.line == 0) return file;
  return file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

namespace {
std::string error_line(const Location& at, const std::string& message) {
  return to_string(at) + ": error: " + message;
}
}  // namespace

SpecError::SpecError(const Location& at, const std::string& message)
    : std::runtime_error(error_line(at, message)) {}

void Diagnostics::error(const Location& at, const std::string& message) {
  ++count_;
  std::string text = error_line(at, message);
  if (known_.contains(text)) return;
  if (lines_.size() == kMaxLines) {
    more_ = true;
    return;
  }
  known_.insert(text);
  lines_.push_back({at, std::move(text)});
}

std::vector<std::string> Diagnostics::lines() const {
  std::map<std::string, int> order;  // files in the order of their first error
  const auto rank = [&order](const Line& line) {
    std::string file = line.at.file ? *line.at.file : std::string();
    return order.try_emplace(std::move(file), static_cast<int>(order.size())).first->second;
  };
  std::vector<std::tuple<int, int, int, std::size_t>> places;
  places.reserve(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    places.emplace_back(rank(lines_[i]), lines_[i].at.line, lines_[i].at.column, i);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::string> texts;
  texts.reserve(places.size() + 1);
  for (const auto& place : places) texts.push_back(lines_[std::get<3>(place)].text);
  if (more_) texts.push_back("error: more errors follow (only the first 100 are listed)");
  return texts;
}

void Diagnostics::throw_if_any() const {
  if (!lines_.empty()) throw SpecError(join(lines(), "\n"));
}

namespace {
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}
}  // namespace

std::string quote(std::string_view text) {
  std::string out = "'";
  std::size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0) == 0x80;  // a continuation byte of a UTF-8 character
    if (!continues && ++characters > kMaxQuoted) {
      out += "...";
      break;
    }
    if (byte >= 0x20 && byte != 0x7F) {
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(byte));
      out += code;
    }
  }
  return out + "'";
}

std::string did_you_mean(std::string_view text, const std::vector<std::string>& known) {
  if (text.size() > 64) return "";  // no plausible typing error; bounds the cost
  const auto lower = [](std::string_view name) {
    std::string out;
    for (const char c : name) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
  };
  std::string best;
  std::size_t best_cost = std::max<std::size_t>(1, text.size() / 3) + 1;
  best_cost = std::min(best_cost, text.size());  // at least one letter must match
  for (const std::string& name : known) {
    const std::size_t cost = edit_distance(lower(text), lower(name));
    if (cost < best_cost) {
      best_cost = cost;
      best = name;
    }
  }
  return best;
}

namespace {
/// The names that start with `text`. Empty if `text` is too short or too many names match for a
/// useful suggestion.
std::vector<std::string> beginning_with(std::string_view text,
                                        const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 4;
  constexpr std::size_t kLeastLetters = 3;
  std::vector<std::string> found;
  if (text.size() < kLeastLetters) return found;
  for (const std::string& name : known) {
    if (name.starts_with(text)) found.push_back(name);
  }
  if (found.size() > kMost) found.clear();
  return found;
}
}  // namespace

std::string with_article(const std::string& noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + noun;
}

std::string unknown_name(std::string_view what, std::string_view text,
                         const std::vector<std::string>& known) {
  std::string line = "unknown " + std::string(what) + " " + quote(text);
  if (const std::string hint = instead_of(what, text); !hint.empty())
    return line + " (" + hint + ")";
  if (known.empty()) return line;
  line += " (";
  std::string near = join(beginning_with(text, known), "' or '");
  if (near.empty()) near = did_you_mean(text, known);
  if (!near.empty()) line += "did you mean '" + near + "'? ";
  return line + "known: " + join(known) + ")";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace paceline
