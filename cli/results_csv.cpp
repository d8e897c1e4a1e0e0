// SPDX-License-Identifier: MIT
#include "cli/results_csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "experiments/language/csv.hpp"
#include "experiments/language/json.hpp"
#include "training/results/columns.hpp"

namespace paceline {

ResultLine line_of(const ResultRow& row) {
  const ExperimentPoint& point = *row.point;
  const Experiment& experiment = point.experiment;
  const bool is_run = row.source == Source::predicted || row.source == Source::measured;
  ResultLine line;
  line.experiment = experiment.name;
  line.source = name_of(row.source);
  line.model = point.network->name;
  line.machine = point.machine_name();
  line.device = device_of(row);
  line.policy = point.update_name();
  line.k = shown_k(point);
  line.aggregation = experiment.aggregation.kind();
  line.workers = experiment.workers;
  line.point = static_cast<std::int64_t>(row.index);
  if (!experiment.workload) line.batch = experiment.batch;
  if (is_run) line.steps = experiment.steps.rounds;
  line.measurement = &row.measurement;
  line.item = point.network->item;
  line.overhead = row.overhead;
  line.speedup = row.speedup;
  line.efficiency = row.efficiency;
  line.base_workers = row.base_workers;
  line.epoch = row.epoch;
  line.slowdown = row.slowdown;
  line.layer_times = row.layer_times;
  line.target = target_of(row);
  line.cost_to_target = row.cost_to_target;
  line.energy_to_target = row.energy_to_target;
  return line;
}

namespace {

/// Calls `column` for each column of results.csv, and `swept` at the place of the swept keys.
void for_each_column(const std::function<void(const Column&)>& column,
                     const std::function<void()>& swept) {
  for (const Column& one : columns()) {
    if (one.place == Column::Place::first) column(one);
  }
  swept();
  for (const Column& one : columns()) {
    if (one.place == Column::Place::after_swept) column(one);
  }
}

/// The first two fields of a record in all files except results.csv.
std::vector<std::string> point_and_source(const ResultRow& row) {
  return {std::to_string(row.index), name_of(row.source)};
}

void add(std::vector<std::string>& cells, std::initializer_list<double> numbers) {
  for (const double one : numbers) cells.push_back(std::isnan(one) ? "" : print_number(one));
}

/// The first fields of records that have them in common, with the comma behind them.
std::string begin_of_line(const std::vector<std::string>& cells) {
  std::string begin = csv_line(cells);
  begin.back() = ',';  // in place of the end of the line
  return begin;
}

}  // namespace

std::string results_csv(const std::vector<ResultRow>& rows, const std::vector<std::string>& swept) {
  std::vector<std::string> cells;
  for_each_column([&](const Column& column) { cells.emplace_back(column.name); },
                  [&] {
                    for (const std::string& path : swept) cells.push_back("swept." + path);
                  });
  std::string out = csv_line(cells);
  for (const ResultRow& row : rows) {
    const ResultLine line = line_of(row);
    cells.clear();
    for_each_column([&](const Column& column) { cells.push_back(column.value(line).text); },
                    [&] {
                      for (const SweptKey& key : row.point->swept) cells.push_back(key.value);
                    });
    out += csv_line(cells);
  }
  return out;
}

std::string steps_csv(const std::vector<ResultRow>& rows) {
  std::string out =
      "point,source,worker,step,began_s,delay_s,compute_s,exposed_comm_s,wait_s,input_s,"
      "validation_s,end_s,accepted\n";
  std::size_t written = 0;
  for (const ResultRow& row : rows) {
    const std::vector<StepRow>& steps = row.measurement.steps;
    written += steps.size();
    if (written > kMostSteps) break;
    for (const StepRow& step : steps) {
      // the rest of the step: transfers and server arithmetic that the worker waits for
      const double known_parts =
          step.delay_s + step.compute_s + step.wait_s + step.input_s + step.validation_s;
      const double exposed = std::max(0.0, step.end_s - step.began_s - known_parts);
      std::vector<std::string> cells = point_and_source(row);
      cells.push_back(std::to_string(step.worker));
      cells.push_back(std::to_string(step.step));
      add(cells, {step.began_s, step.delay_s, step.compute_s, exposed, step.wait_s, step.input_s,
                  step.validation_s, step.end_s});
      cells.emplace_back(step.accepted ? "1" : "0");
      out += csv_line(cells);
    }
  }
  return out;
}

std::string curves_csv(const std::vector<ResultRow>& rows) {
  std::string out = "point,source,repeat,updates,time_s,items,loss,accuracy\n";
  for (const ResultRow& row : rows) {
    for (const CurvePoint& point : row.measurement.curve) {
      std::vector<std::string> cells = point_and_source(row);
      cells.push_back(std::to_string(point.repeat));
      cells.push_back(std::to_string(point.updates));
      add(cells, {point.time_s, point.items, point.loss, point.accuracy});
      out += csv_line(cells);
    }
  }
  return out;
}

std::string staleness_csv(const std::vector<ResultRow>& rows) {
  std::string out = "point,source,staleness,gradients\n";
  for (const ResultRow& row : rows) {
    const std::vector<double>& histogram = row.measurement.staleness;
    const std::string begin = begin_of_line(point_and_source(row));
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      if (histogram[i] == 0) continue;
      std::vector<std::string> cells;
      add(cells, {static_cast<double>(i), histogram[i]});
      out.append(begin).append(csv_line(cells));
    }
  }
  return out;
}

std::string step_times_csv(const std::vector<ResultRow>& rows) {
  std::string out = "point,source,steps,mean_s,cv,share,step_s\n";
  for (const ResultRow& row : rows) {
    const StepTimes& times = row.measurement.step_times;
    std::vector<std::string> cells = point_and_source(row);
    add(cells, {times.steps, times.mean_s, times.cv});
    const std::string begin = begin_of_line(cells);
    for (std::size_t i = 0; i < times.quantiles.size(); ++i) {
      const double share = static_cast<double>(i) / (StepTimes::kQuantiles - 1);
      cells.clear();
      add(cells, {share, times.quantiles[i]});
      out.append(begin).append(cells.front()).append(",").append(cells.back()).append("\n");
    }
  }
  return out;
}

std::string results_json(const std::vector<ResultRow>& rows) {
  std::vector<Tree> all;
  for (const ResultRow& row : rows) {
    const ResultLine line = line_of(row);
    Tree& object = all.emplace_back(Tree::map());
    for_each_column([&](const Column& column) { object.set(column.name, column.value(line)); },
                    [&] {
                      Tree swept = Tree::map();
                      for (const SweptKey& key : row.point->swept) {
                        swept.set(key.path, Tree::scalar(key.value));
                      }
                      object.set("swept", std::move(swept));
                    });
  }
  return to_json(Tree::list(std::move(all)), 2) + "\n";
}

}  // namespace paceline
