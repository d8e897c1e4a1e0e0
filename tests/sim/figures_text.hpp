// SPDX-License-Identifier: MIT
/// \file
/// All figures of a repeat as text, so that two ways to simulate it can be compared.
#pragma once
#include <string>

#include "experiments/language/value.hpp"
#include "training/results/columns.hpp"
#include "training/results/metrics/recorder.hpp"

namespace paceline {

/// A line for each figure, -1 where it is empty, and one with the mean time of a step.
inline std::string figures_text(const Recorder& recorder) {
  const Measurement result = join_repeats({recorder.result()}, {recorder.samples()}, 1);
  std::string text;
  for (const Column& column : columns()) {
    if (const Figure* figure = column.figure())
      text += std::string(column.name) + " " + print_number((result.*figure->value).value_or(-1)) +
              "\n";
  }
  return text + print_number(result.step_times.mean_s) + "\n";
}

}  // namespace paceline
