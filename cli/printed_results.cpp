// SPDX-License-Identifier: MIT
#include "cli/printed_results.hpp"

#include <utility>

#include "cli/collective_table.hpp"
#include "cli/comparison.hpp"
#include "training/results/metrics/status.hpp"

namespace paceline {

std::string markdown_heading(const ExperimentFile& file, const std::vector<ExperimentFile>& files) {
  return (&file == &files.front() ? "### " : "\n### ") + file.name + "\n\n";
}

void print_lines(const std::vector<std::string>& lines, std::ostream& out, TableStyle style) {
  out << list_of(lines, style) << std::flush;
}

bool fails_the_run(const ResultRow& row) {
  const std::string& status = row.measurement.status;
  return status.starts_with("failed") || ended_without_a_finite_loss(status);
}

void report_failures(const std::vector<ResultRow>& rows, const Terminal& terminal) {
  std::size_t failures = 0;
  std::string last;
  for (const ResultRow& row : rows) {
    if (!fails_the_run(row)) continue;
    const std::string failure = std::to_string(row.index) + row.measurement.status;
    // theory and prediction fail with the same message
    if (failure == std::exchange(last, failure)) continue;
    if (++failures > 10) continue;
    terminal.err << "point " << row.index << ", " << name_of(row.source) << ": "
                 << row.measurement.status << "\n";
  }
  if (failures > 10)
    terminal.err << "and " << failures - 10 << " more (see status in results.csv)\n";
}

Summary summarise(const std::vector<ResultRow>& rows, const SweptLabels& labels,
                  const PointRun& run, const Terminal& terminal, bool print, TableStyle style) {
  Summary summary = summary_of(rows, labels);
  if (print) print_lines(summary.findings, terminal.out, style);
  const bool collectives = are_collectives(rows);
  if (run.sources.predict && !collectives) {
    const auto more = saturations(rows, labels, run.devices->device(), run.profile);
    if (print) print_lines(more, terminal.out, style);
    summary.findings.insert(summary.findings.end(), more.begin(), more.end());
  }
  if (!print) return summary;
  const bool colour = terminal.out_colour && style == TableStyle::aligned;
  const std::string table = collectives ? collective_tables(rows, labels, style)
                                        : comparison_table(rows, labels, colour, style);
  terminal.out << (summary.findings.empty() ? "" : "\n") << page_of(table, style) << "\n";
  print_lines(summary.agreement, terminal.out, style);
  print_lines(summary.layer_times, terminal.out, style);
  return summary;
}

}  // namespace paceline
