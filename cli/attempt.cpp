// SPDX-License-Identifier: MIT
#include "cli/attempt.hpp"

#include <algorithm>
#include <stdexcept>

#include "experiments/language/failure.hpp"

namespace paceline {
namespace {

/// Joins the lines of a text, since a status is one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

Measurement checked(Measurement measurement, double rounding) {
  const std::string why = why_impossible(measurement, rounding);
  if (!why.empty()) throw std::runtime_error("internal check: " + why);
  return measurement;
}

Measurement attempt(const std::function<Measurement()>& measure) {
  Measurement failed;
  try {
    return measure();
  } catch (const std::exception& error) {
    failed.status = "failed: " + one_line(in_plain_words(error));
  }
  return failed;
}

Measurement skipped(const std::string& why) {
  Measurement measurement;
  measurement.status = "skipped (" + why + ")";
  return measurement;
}

bool failed(const Measurement& measurement) {
  return measurement.status != "ok" && measurement.status != "bound" && !measurement.diverged();
}

}  // namespace paceline
