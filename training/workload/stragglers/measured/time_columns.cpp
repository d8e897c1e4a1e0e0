// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/measured/time_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "experiments/language/diagnostics.hpp"
#include "experiments/language/units.hpp"

namespace paceline {
namespace {

constexpr std::size_t kNone = TimeColumn::kNone;

bool is_one_of(std::string_view word, std::initializer_list<const char*> words) {
  return std::ranges::find(words, word) != words.end();
}

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), [](unsigned char c) { return std::tolower(c); });
  return all;
}

/// The metric's own name in a column that Weights & Biases exports: "step_time" of "run-1 -
/// perf/step_time". The slash of a rate ("samples/s") stays.
std::string metric_of(std::string_view column) {
  if (const std::size_t dash = column.rfind(" - "); dash != std::string_view::npos)
    column.remove_prefix(dash + 3);
  const std::size_t slash = column.rfind('/');
  if (slash != std::string_view::npos &&
      column.find_first_of("_ ", slash) != std::string_view::npos)
    column.remove_prefix(slash + 1);
  return lower(column);
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter && !inside) words.emplace_back();
    if (letter) words.back() += c;
    inside = letter;
  }
  return words;
}

/// The unit that a word names; null if none. Neither "min", which is also a minimum, nor "h".
const UnitRow* unit_named(std::string_view word) {
  const std::string_view spelled_out = unit_of_word(word);
  const std::string_view suffix = spelled_out.empty() ? word : spelled_out;
  for (const UnitRow& row : units_of(static_cast<const Seconds*>(nullptr))) {
    if (suffix == row.suffix && !is_one_of(suffix, {"min", "h"})) return &row;
  }
  return nullptr;
}

bool says_time(std::string_view word) {
  return is_one_of(word, {"time", "times", "duration", "durations", "latency", "elapsed"});
}

bool says_step(std::string_view word) {
  return is_one_of(word, {"step", "iteration", "iter", "batch"});
}

/// True if a name without a unit says a number of something, as `global_step` does.
bool counts(std::string_view name) {
  const std::vector<std::string> words = words_of(lower(name));
  return !words.empty() && is_one_of(words.back(), {"step", "steps", "epoch", "epochs", "iteration",
                                                    "iterations", "iter", "iters", "rank", "ranks",
                                                    "worker", "workers", "batch", "index", "idx"});
}

/// How well a name says "the time of a step"; 0: it does not say a time.
int fitness(const std::string& column) {
  const std::string metric = metric_of(column);
  if (metric.ends_with("__min") || metric.ends_with("__max")) return 0;  // of the same metric
  std::vector<std::string> words = words_of(metric);
  if (words.empty()) return 0;
  const bool unit = unit_in_name(column) != nullptr;
  if (unit) words.pop_back();
  const bool time = std::ranges::any_of(words, says_time);
  if (!unit && (words.empty() || !says_time(words.back()))) return 0;
  if (std::ranges::any_of(words, says_step)) return unit ? 4 : 3;
  return unit && !time ? 1 : 2;
}

std::size_t find(const std::vector<std::string>& names, std::initializer_list<const char*> wanted) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_one_of(metric_of(names[i]), wanted)) return i;
  }
  return kNone;
}

/// The layouts in which the time since the start is written beside the number of the step.
TimeColumn differences_in(const std::vector<std::string>& names) {
  TimeColumn found;
  found.differences = true;
  found.per_step = find(names, {"step", "_step"});
  for (const char* name : {"wall time", "wall_time", "_runtime", "_timestamp"}) {
    found.at = find(names, {name});
    if (found.at != kNone) break;
  }
  found.basis = "points in time: differences";
  if (found.per_step != kNone) found.basis += ", divided by the steps between";
  return found;
}

}  // namespace

const UnitRow* unit_in_name(std::string_view name) {
  const std::string metric = metric_of(name);
  const std::vector<std::string> words = words_of(metric);
  const UnitRow* unit = words.empty() ? nullptr : unit_named(words.back());
  if (unit == nullptr || words.size() == 1) return unit;
  const std::string& before = words[words.size() - 2];
  const std::size_t at = metric.rfind(words.back());
  const bool rate = before == "per" || (metric[at - 1] == '/' && !says_time(before));
  return rate ? nullptr : unit;
}

TimeColumn time_column(const std::vector<std::string>& names) {
  if (names.size() == 1 && !counts(names.front())) return {.at = 0};
  if (TimeColumn found = differences_in(names); found.at != kNone) return found;
  TimeColumn best;
  int most = 0;
  std::vector<std::string> equal;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int fit = fitness(names[i]);
    if (fit == 0 || fit < most) continue;
    if (fit > most) equal.clear();
    most = fit;
    equal.push_back(names[i]);
    best.at = i;
  }
  if (equal.size() > 1) {
    best.at = kNone;
    best.problem = std::to_string(equal.size()) + " columns of times: " + join(equal) +
                   " (name one: --column, or the key 'column')";
  } else if (equal.empty()) {
    best.problem =
        "no column of times: no name says a time or its unit, as step_time_ms does (name "
        "one: --column, or the key 'column'; columns: " +
        join(names) + ")";
  }
  constexpr std::array<const char*, 5> kWhy{"", "its name has a unit of time",
                                            "its name says a time", "its name says a step's time",
                                            "its name says a step's time and the unit"};
  best.basis = kWhy[static_cast<std::size_t>(most)];
  return best;
}

}  // namespace paceline
