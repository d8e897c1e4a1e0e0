#include "experiments/diagnostics.hpp"

#include <algorithm>
#include <tuple>

namespace paceline {

std::string to_string(const Location& at) {
  const std::string file = at.file ? *at.file : std::string("input");
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
  std::string text = error_line(at, message);
  for (const Line& line : lines_) {
    if (line.text == text) return;  // a sweep reads the same key once a point
  }
  lines_.push_back({at, std::move(text)});
}

std::vector<std::string> Diagnostics::lines() const {
  std::vector<Line> sorted = lines_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Line& a, const Line& b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  });
  std::vector<std::string> texts;
  texts.reserve(sorted.size());
  for (Line& line : sorted) texts.push_back(std::move(line.text));
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

std::string did_you_mean(std::string_view text, const std::vector<std::string>& known) {
  if (text.size() > 64) return "";  // nobody mistypes that much; keeps the table small
  std::string best;
  std::size_t best_cost = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t cost = edit_distance(text, name);
    if (cost < best_cost) {
      best_cost = cost;
      best = name;
    }
  }
  return best;
}

std::string unknown_name(std::string_view what, std::string_view text,
                         const std::vector<std::string>& known) {
  const std::string near = did_you_mean(text, known);
  std::string line = "unknown " + std::string(what) + " '" + std::string(text) + "' (";
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
