// SPDX-License-Identifier: MIT
/// \file
/// Draws figures and reports by running plots/draw.py, the program for that, on results files.
#pragma once
#include <string>
#include <vector>

namespace paceline {

/// How drawing ended.
struct Drawing {
  int code = 0;         ///< of draw.py; 77: Python, draw.py or (PDF, PNG) Matplotlib is missing
  std::string said;     ///< what it printed
  std::string problem;  ///< one line, "" when drawn
};

/// Runs draw.py on these arguments, from the folder that PACELINE_PLOTS names, else from
/// data_folder("plots").
Drawing draw_figures(const std::vector<std::string>& arguments);

}  // namespace paceline
