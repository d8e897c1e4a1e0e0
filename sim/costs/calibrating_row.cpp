// SPDX-License-Identifier: MIT
#include "sim/costs/calibrating_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "sim/costs/layer_cost.hpp"
#include "training/experiment/described_gpus.hpp"

namespace paceline {
namespace {

struct Table {
  std::string file;
  PublishedTable rows;
};

const std::vector<Table>& shipped_tables() {
  static const std::vector<Table> tables = [] {
    std::vector<Table> all;
    for (const EmbeddedFile& file : embedded_published()) {
      const std::string name = std::string(file.name) + ".csv";
      all.push_back({name, PublishedTable::parse(name, std::string(file.text))});
    }
    return all;
  }();
  return tables;
}

/// The rows of one table and one software stack, one per batch.
struct Series {
  const Table* table = nullptr;
  std::string software;
  struct Point {
    int batch = 0;
    const PublishedTable::Entry* entry = nullptr;
    double seconds() const { return batch / entry->row.throughput; }
  };
  std::vector<Point> points;

  const Point& nearest(int batch) const {
    return *std::min_element(points.begin(), points.end(), [&](const Point& a, const Point& b) {
      return distance(a.batch, batch) < distance(b.batch, batch);
    });
  }
  static double distance(int a, int b) { return std::abs(std::log(static_cast<double>(a) / b)); }
};

bool is_of(const PublishedTable& table, const PublishedTable::Entry& entry, const RowQuery& query) {
  const auto fits = [&](const char* column, const std::string& value) {
    const std::string& cell = table.cell(entry, column);
    return cell.empty() || cell == value;
  };
  return table.cell(entry, "workers") == "1" && table.cell(entry, "model") == query.model &&
         !entry.row.gpu.empty() && same_gpu(*query.gpu, entry.row.gpu) &&
         table.cell(entry, "precision") == to_flow(Value<Precision>::write(query.step.precision)) &&
         fits("layout", Value<Layout>::write(query.step.layout).text);
}

std::vector<Series> series_of(const RowQuery& query) {
  std::vector<Series> all;
  for (const Table& table : shipped_tables()) {
    for (const PublishedTable::Entry& entry : table.rows.entries()) {
      if (!is_of(table.rows, entry, query)) continue;
      auto series = std::find_if(all.begin(), all.end(), [&](const Series& one) {
        return one.table == &table && one.software == entry.row.software;
      });
      if (series == all.end()) {
        series = all.insert(all.end(), Series{&table, entry.row.software, {}});
      }
      series->points.push_back({std::stoi(table.rows.cell(entry, "batch")), &entry});
    }
  }
  return all;
}

std::string digits(double value, int places) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*g", places, value);
  return text.data();
}

double roofline_seconds(const RowQuery& query, int batch) {
  StepOnGpu step = query.step;
  step.batch = batch;
  return step_time(layer_times(*query.network, step, *query.gpu, nullptr)).value();
}

}  // namespace

BatchLine fit_batch_line(const std::vector<BatchTime>& times) {
  // Minimises the sum of ((a + b n - t) / t)^2.
  double w = 0, wn = 0, wnn = 0, wt = 0, wnt = 0;
  for (const BatchTime& time : times) {
    const double weight = 1 / (time.seconds * time.seconds);
    w += weight;
    wn += weight * time.batch;
    wnn += weight * time.batch * time.batch;
    wt += weight * time.seconds;
    wnt += weight * time.batch * time.seconds;
  }
  const double determinant = w * wnn - wn * wn;
  BatchLine line{0, wnt / wnn};
  if (determinant <= 1e-12 * w * wnn) return line;  // all times are of one batch
  const double a = (wt * wnn - wnt * wn) / determinant;
  const double b = (w * wnt - wn * wt) / determinant;
  if (a < 0) return line;
  if (b <= 0) return {wt / w, 0};
  return {a, b};
}

std::optional<CostRow> shipped_cost_row(const RowQuery& query) {
  const std::vector<Series> all = series_of(query);
  if (all.empty()) return std::nullopt;
  const auto rank = [&](const Series& series) {
    const Series::Point& point = series.nearest(query.step.batch);
    return std::tuple(series.software != query.software,
                      Series::distance(point.batch, query.step.batch),
                      -point.entry->row.throughput);
  };
  const Series& series = *std::min_element(
      all.begin(), all.end(), [&](const Series& a, const Series& b) { return rank(a) < rank(b); });
  const Series::Point& nearest = series.nearest(query.step.batch);
  CostRow worker;
  worker.shipped = true;
  worker.aggregation = nearest.entry->row.aggregation;
  worker.aggregation_keys = nearest.entry->row.aggregation_keys;
  const std::string row = row_in_words(nearest.entry->row, series.table->file, nearest.batch);
  if (nearest.batch == query.step.batch) {
    worker.throughput = nearest.entry->row.throughput;
    worker.sentence = "published: " + row;
    return worker;
  }
  double factor = 0;  // of the nearest row's time
  std::string of = "one worker";
  std::string how;
  if (series.points.size() > 1) {
    std::vector<BatchTime> times;
    for (const Series::Point& point : series.points) {
      times.push_back({static_cast<double>(point.batch), point.seconds()});
    }
    const BatchLine line = fit_batch_line(times);
    factor = line.at(query.step.batch) / line.at(nearest.batch);
    how = "along " + digits(1e3 * line.a, 3) + " ms + " + digits(1e3 * line.b, 3) +
          " ms x batch, fitted to its " + std::to_string(times.size()) + " batches";
  } else {
    const double known = roofline_seconds(query, nearest.batch);
    if (known <= 0) return std::nullopt;
    factor = roofline_seconds(query, query.step.batch) / known;
    of += "'s arithmetic";  // a smaller batch may wait for the host that launches
    how = "along the roofline, the one batch there is";
  }
  worker.throughput = query.step.batch / (nearest.seconds() * factor);
  worker.sentence = "published: " + digits(worker.throughput, 4) + " items/s of " + of +
                    " at batch " + std::to_string(query.step.batch) + ", from " + row + " " + how;
  return worker;
}

namespace {

/// A row of the experiment's own table, carried on to the point's batch by the ratio of estimates.
std::optional<CostRow> at_batch_of(const ExperimentPoint& point, CostRow row) {
  const GpuSpec* gpu = first_gpu(point);
  if (row.batch == 0) return row;
  if (gpu == nullptr || !point.network) return std::nullopt;
  const auto estimate = [&](int batch) {
    StepOnGpu step = step_on_gpu(point);
    step.batch = batch;
    return step_time(layer_times(*point.network, step, *gpu, nullptr)).value() / batch;
  };
  const int batch = point.experiment.batch;
  row.throughput *= estimate(row.batch) / estimate(batch);
  row.sentence = "published: " + digits(row.throughput, 4) +
                 " items/s of a worker's arithmetic at batch " + std::to_string(batch) +
                 ", along the estimate from " +
                 row.sentence.substr(std::string("published: ").size());
  return row;
}

/// A row of the shipped tables, carried on to the GPU's clock by the ratio of estimates.
CostRow at_clock_of(const RowQuery& query, CostRow row) {
  const GpuSpec& gpu = *query.gpu;
  const GpuSpec model = at_clock(gpu, Percent{1});
  const auto estimate = [&](const GpuSpec& of) {
    return step_time(layer_times(*query.network, query.step, of, nullptr));
  };
  row.throughput *= estimate(model) / estimate(gpu);
  row.sentence = "published: " + digits(row.throughput, 4) +
                 " items/s of a worker's arithmetic at " + digits(100 * gpu.clock.fraction, 4) +
                 " % of its GPU's clock, along the estimate from " +
                 row.sentence.substr(std::string("published: ").size());
  return row;
}

}  // namespace

StepOnGpu step_on_gpu(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  return {experiment.batch, experiment.precision, experiment.layout, point.software->kernels};
}

std::optional<CostRow> calibrating_row(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  if (experiment.layer_times == LayerTimesRule::roofline) return std::nullopt;
  if (point.own_row) return at_batch_of(point, *point.own_row);
  const bool preset = experiment.model.tree.is_scalar();
  const bool divided = experiment.devices && experiment.devices->split == Split::green;
  RowQuery query;
  query.gpu = first_gpu(point);
  if (query.gpu == nullptr || !preset || divided) return std::nullopt;
  query.model = experiment.model.tree.text;
  query.network = point.network.get();
  query.step = step_on_gpu(point);
  const Tree& software = experiment.software.tree;
  if (software.is_scalar()) query.software = software.text;
  std::optional<CostRow> row = shipped_cost_row(query);
  if (row && query.gpu->clock != Percent{1}) row = at_clock_of(query, *row);
  return row;
}

}  // namespace paceline
