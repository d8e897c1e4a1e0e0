// SPDX-License-Identifier: MIT
#include "training/experiment/published_of_point.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "experiments/language/yaml.hpp"
#include "training/experiment/described_gpus.hpp"

namespace paceline {

/// The path of a file that this file names, which is relative to it.
std::string PublishedOfPoints::beside(const std::string& name) const {
  const std::filesystem::path path(name);
  return path.is_relative() ? (std::filesystem::path(path_).parent_path() / path).string() : name;
}

void PublishedOfPoints::find_in_log(ExperimentPoint& point) {
  const WorkloadKind& workload = **point.experiment.workload;
  if (workload.log().empty()) return;
  const std::string path = beside(workload.log());
  const auto log = logs_.get(
      Tree::scalar(path),
      [](const Tree& name) { return NcclTestsLog::parse(name.text, read_text_file(name.text)); },
      referenced_);
  if (!log) return;
  const auto at = [&] { return point.tree.find("workload")->find("against")->at; };
  if (log->ranks > 0 && log->ranks != point.experiment.workers) {
    diagnostics_.error(at(), "'" + path + "' is of " + std::to_string(log->ranks) +
                                 " ranks, and the point has " +
                                 std::to_string(point.experiment.workers) + " workers");
  }
  const auto* row = log->find(std::llround(workload.size().value()));
  if (row == nullptr) return;
  point.published.emplace();
  point.published->throughput = workload.size().value() / row->time.value();
  point.published->source = path;
  point.published->line = row->line;
}

/// Null after noting an error; `key` is one of `published`.
std::shared_ptr<const PublishedTable> PublishedOfPoints::table_at(const ExperimentPoint& point,
                                                                  const char* key,
                                                                  const std::string& path) {
  const std::filesystem::path table(beside(path));
  if (!std::filesystem::is_regular_file(table) || !std::ifstream(table)) {
    diagnostics_.error(point.tree.find("published")->find(key)->at,
                       "cannot open table '" + table.string() + "'");
    return nullptr;
  }
  return tables_.get(
      Tree::scalar(table.string()),
      [](const Tree& name) { return PublishedTable::load(name.text); }, referenced_);
}

void PublishedOfPoints::find(ExperimentPoint& point) {
  const auto& published = point.experiment.published;
  if (!published) return;
  const Tree keys = keys_with_defaults(point);
  const GpuSpec* gpu = first_gpu(point);
  if (!published->stages.empty()) {
    if (const auto steps = table_at(point, "stages", published->stages)) {
      point.profiled = steps->find(keys, gpu);
    }
  }
  const auto rows = table_at(point, "table", published->table);
  if (!rows) return;
  point.published = rows->find(keys, gpu);
  if (!published->calibrate) return;
  if (point.experiment.layer_times == LayerTimesRule::roofline) {
    if (point.tree.find("published")->find("calibrate") == nullptr) return;
    diagnostics_.error(point.place("layer_times"),
                       "'layer_times: roofline' and 'published: calibrate' exclude each other");
    return;
  }
  point.own_row = cost_row(point, keys);
}

/// The row of the point's table that sets the cost for a point with these keys.
std::optional<CostRow> PublishedOfPoints::cost_row(const ExperimentPoint& point, const Tree& keys) {
  const std::string& table = point.experiment.published->table;
  const auto rows = table_at(point, "table", table);
  if (!rows) return std::nullopt;
  const auto base = rows->find_base(keys, first_gpu(point));
  if (!base) return std::nullopt;
  return own_cost_row(*base, std::filesystem::path(table).filename().string(),
                      point.experiment.batch);
}

void PublishedOfPoints::share_costs(std::vector<ExperimentPoint>& points) {
  std::set<std::pair<std::string, int>> in_use;  // tables and their lines
  for (const ExperimentPoint& point : points) {
    if (point.own_row) in_use.emplace(point.experiment.published->table, point.own_row->line);
  }
  if (in_use.empty()) return;
  for (ExperimentPoint& point : points) {
    const auto& published = point.experiment.published;
    const bool roofline = point.experiment.layer_times == LayerTimesRule::roofline;
    if (point.own_row || !published || !published->calibrate || roofline) continue;
    Tree keys = keys_with_defaults(point);  // as of a point with another number of workers
    keys.set("workers", Tree::scalar(std::to_string(point.experiment.workers + 1)));
    const std::optional<CostRow> row = cost_row(point, keys);
    if (row && in_use.contains({published->table, row->line})) point.own_row = row;
  }
}

}  // namespace paceline
