// SPDX-License-Identifier: MIT
/// \file
/// Draws figures and reports from results files by running plots/draw.py.
#pragma once
#include <string>
#include <vector>

namespace paceline {

/// The result of a run of draw.py.
struct Drawing {
  int code = 0;         ///< exit code; 77: Python, draw.py or (for PDF and PNG) Matplotlib is
                        ///< missing
  std::string output;   ///< its output
  std::string problem;  ///< one line, also about what a successful run left out; otherwise ""
};

/// Runs draw.py with these arguments, from the folder in PACELINE_PLOTS if set, otherwise from
/// data_folder("plots").
Drawing draw_figures(const std::vector<std::string>& arguments);

}  // namespace paceline
