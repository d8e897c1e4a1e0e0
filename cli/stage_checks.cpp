// SPDX-License-Identifier: MIT
#include "cli/stage_checks.hpp"

#include <set>

#include "cli/attempt.hpp"
#include "cli/comparison.hpp"
#include "cli/execution_device.hpp"
#include "sim/simulate.hpp"
#include "training/results/trace/span_recorder.hpp"
#include "training/results/trace/stages.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostSpans = 2'000'000;  // 160 MB

std::map<std::string, double> predicted_shares(const ExperimentPoint& point) {
  SpanRecorder spans(kMostSpans, false);
  const Measurement predicted = attempt([&] {
    Prediction setting = prediction_of(point, Device::any, nullptr);
    setting.spans = &spans;
    return simulate(setting);
  });
  if (predicted.status != "ok") return {};  // the caller reports it with the point's row
  return shares_of(stages_of(spans.trace()));
}

/// The stages that some point has.
std::vector<std::string> stages_in(const std::vector<StageCheck>& checks) {
  std::set<std::string> stages;
  for (const StageCheck& check : checks) {
    for (const auto& [stage, share] : check.published) stages.insert(stage);
  }
  return {stages.begin(), stages.end()};
}

/// "59.9 %", "" for a stage that a point does not have.
std::string share_cell(const std::map<std::string, double>& shares, const std::string& stage) {
  const auto found = shares.find(stage);
  return found == shares.end() ? "" : percent_size(found->second);
}

}  // namespace

std::vector<StageCheck> stage_checks_of(const ExperimentFile& file) {
  std::vector<StageCheck> checks;
  for (const ExperimentPoint& point : file.points) {
    if (!point.profiled) continue;
    checks.push_back({&point, shares_of(point.profiled->stages), predicted_shares(point)});
  }
  return checks;
}

std::string stage_table(const std::vector<StageCheck>& checks, const SweptLabels& labels,
                        TableStyle style) {
  if (checks.empty()) return "";
  std::vector<TextColumn> columns{{"stages, shares of their sum"}};
  for (const std::string& stage : stages_in(checks)) {
    columns.push_back({stage + ": published", true});
    columns.push_back({"predicted", true});
  }
  std::vector<std::vector<std::string>> rows;
  for (const StageCheck& check : checks) {
    rows.push_back({name_of(*check.point, labels)});
    for (const std::string& stage : stages_in(checks)) {
      rows.back().push_back(share_cell(check.published, stage));
      rows.back().push_back(share_cell(check.predicted, stage));
    }
  }
  const std::string table = text_table(columns, rows, style);
  return style == TableStyle::markdown ? table : "\n" + table + "\n";
}

}  // namespace paceline
