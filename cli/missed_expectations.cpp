// SPDX-License-Identifier: MIT
#include "cli/missed_expectations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/agreement.hpp"
#include "cli/comparison.hpp"
#include "cli/results_csv.hpp"
#include "cli/text_table.hpp"
#include "training/results/columns.hpp"

namespace paceline {
namespace {

/// A value that counts for an expectation, and the words that follow it in a line.
struct Judged {
  std::optional<double> value;
  std::string source;
};

bool counts(const ResultRow& row) {
  const std::string& status = row.measurement.status;
  return (row.source == Source::predicted || row.source == Source::measured) &&
         !status.starts_with("skipped") && !status.starts_with("failed");
}

std::optional<double> value_of(const ResultRow& row, const std::string& name) {
  const auto column =
      std::ranges::find_if(columns(), [&](const Column& one) { return one.name == name; });
  const std::string text = column->value(line_of(row)).text;
  if (text.empty()) return std::nullopt;
  return std::strtod(text.c_str(), nullptr);
}

using PointRows = std::vector<const ResultRow*>;

std::vector<Judged> errors_of(const PointRows& rows) {
  std::vector<Judged> errors;
  for (const ResultRow* predicted : rows) {
    if (predicted->source != Source::predicted) continue;
    for (const ResultRow* observed : rows) {
      const bool measured = observed->source == Source::measured;
      if (!measured && observed->source != Source::published) continue;
      const std::optional<double> error = error_of(*predicted, *observed);
      if (!error || sets_the_cost(*predicted, *observed)) continue;
      errors.push_back({std::fabs(*error), std::string("against ") + name_of(observed->source)});
    }
  }
  return errors;
}

std::vector<Judged> judged(const Expectation& expectation, const PointRows& rows) {
  if (expectation.column == kErrorOfPrediction) return errors_of(rows);
  std::vector<Judged> values;
  for (const ResultRow* row : rows) {
    if (counts(*row)) values.push_back({value_of(*row, expectation.column), name_of(row->source)});
  }
  return values;
}

/// "812 images/s predicted", with as many digits as the difference from the bound needs.
std::string in_words(const Judged& one, const Expectation& expectation) {
  if (!one.value) return "blank " + one.source;
  const double limit = expectation.limit / expectation.scale;
  const double value = *one.value / expectation.scale;
  int digits = 4;
  while (value != limit && digits < 17 && significant(value, digits) == significant(limit, digits))
    ++digits;
  const std::string unit = expectation.unit.empty() ? "" : " " + expectation.unit;
  const std::string number = value == 0 ? "0" : significant(value, digits);
  return (std::isfinite(value) ? number : "infinite") + unit + " " + one.source;
}

void add_missed(const PointRows& rows, const SweptLabels& labels, std::vector<std::string>& lines) {
  const ResultRow& first = *rows.front();
  for (const Expectation& expectation : first.point->experiment.expect.all) {
    std::string values;
    for (const Judged& one : judged(expectation, rows)) {
      if (one.value && expectation.met_by(*one.value)) continue;
      values += (values.empty() ? "" : ", ") + in_words(one, expectation);
    }
    if (values.empty()) continue;
    lines.push_back("point " + std::to_string(first.index) + " (" + name_of(*first.point, labels) +
                    "): " + expectation.column + " is " + values + "; expected " +
                    expectation.text);
  }
}

}  // namespace

std::vector<std::string> missed_expectations(const std::vector<ResultRow>& rows,
                                             const SweptLabels& labels) {
  std::vector<std::string> lines;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(),
                                  [&](const ResultRow& row) { return row.index != begin->index; });
    PointRows point;
    for (; begin != end; ++begin) point.push_back(&*begin);
    add_missed(point, labels, lines);
  }
  return lines;
}

}  // namespace paceline
