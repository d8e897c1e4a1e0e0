// SPDX-License-Identifier: MIT
/// \file
/// The printed part of a run's results: sentences and the table, for a terminal or in Markdown.
#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/point_runner.hpp"
#include "cli/summary.hpp"
#include "cli/text_table.hpp"

namespace paceline {

void print_lines(const std::vector<std::string>& lines, std::ostream& out,
                 TableStyle style = TableStyle::aligned);

/// The summary of a run: the findings, the saturation of the largest points, and the agreement with
/// observations. With `print`, each part is printed as soon as it is known.
Summary summarise(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                  const PointRun& run, const Terminal& terminal, bool print, TableStyle style);

/// The heading of one of several files.
std::string markdown_heading(const ExperimentFile& file, const std::vector<ExperimentFile>& files);

/// True if a run with this row ends with an error: its source was tried and failed, or training
/// reached a loss that is not finite. A loss above the bound is a result.
bool fails_the_run(const ResultRow& row);

/// One line on `terminal.err` for each failed point, ten at most.
void report_failures(const std::vector<ResultRow>& rows, const Terminal& terminal);

}  // namespace paceline
