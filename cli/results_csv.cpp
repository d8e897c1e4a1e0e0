// SPDX-License-Identifier: MIT
#include "cli/results_csv.hpp"

#include <algorithm>
#include <cmath>

#include "cli/agreement.hpp"
#include "cli/point_file.hpp"

namespace paceline {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? print_number(*value) : std::string();
}

Tree text(const std::string& value) {
  Tree tree = Tree::scalar(value);
  tree.quoted = true;
  return tree;
}

Tree bare(const std::string& value) {
  return value.empty() ? Tree{} : Tree::scalar(value);
}

/// A row's cells in the order of the columns, as a map from column to value; null: blank.
Tree cells(const ResultRow& row) {
  const ExperimentPoint& point = *row.point;
  const Experiment& experiment = point.experiment;
  const bool ran = row.source == Source::predicted || row.source == Source::measured;
  const std::optional<int> k = shown_k(point);
  Tree all = Tree::map();
  const auto figures_of = [&](const char* first, const char* last) {
    bool inside = false;
    for (const Figure& figure : figures()) {
      inside = inside || figure.column == std::string_view(first);
      if (inside) all.set(figure.column, bare(number(row.measurement.*figure.value)));
      if (figure.column == std::string_view(last)) break;
    }
  };
  all.set("experiment", text(experiment.name));
  all.set("source", text(name_of(row.source)));
  all.set("model", text(point.network->name));
  all.set("machine", text(point.machine_name()));
  all.set("device", text(device_of(row)));
  all.set("policy", text(point.update_name()));
  all.set("k", bare(k ? std::to_string(*k) : ""));
  all.set("aggregation", text(experiment.aggregation.kind()));
  all.set("workers", bare(std::to_string(experiment.workers)));
  all.set("batch", bare(std::to_string(experiment.batch)));
  all.set("steps", bare(ran ? std::to_string(experiment.steps.rounds) : ""));
  figures_of("updates", "wasted_s");
  all.set("overhead_s", bare(number(row.overhead)));
  figures_of("throughput", "throughput_jitter");
  all.set("item", text(point.network->item));
  all.set("speedup", bare(number(row.speedup)));
  all.set("efficiency", bare(number(row.efficiency)));
  all.set("speedup_base_workers", bare(number(row.base_workers)));
  figures_of("staleness_mean", "memory_bytes_peak");
  all.set("epoch_s", bare(number(row.epoch)));
  figures_of("loss_final", "loss_final");
  all.set("status", text(row.measurement.status));
  return all;
}

/// What stands after the swept keys: rates, training and what it costs.
Tree further_cells(const ResultRow& row) {
  const Measurement& m = row.measurement;
  const auto share = [&](const std::optional<double>& part) {
    return part && m.step_mean && *m.step_mean > 0 ? std::optional<double>(*part / *m.step_mean)
                                                   : std::nullopt;
  };
  std::optional<double> idle;
  if (m.wait && m.exposed_comm) idle = *m.wait + *m.exposed_comm;
  Tree all = Tree::map();
  const auto add = [&](const char* column, const std::optional<double>& value) {
    all.set(column, bare(number(value)));
  };
  add("updates_per_s", m.iteration_mean && *m.iteration_mean > 0
                           ? std::optional<double>(1 / *m.iteration_mean)
                           : std::nullopt);
  all.set("layer_times", text(row.layer_times));
  add("injected_share", injected_share(m));
  add("server_busy", m.server_busy);
  add("idle_share", share(idle));
  add("wasted_share", share(m.wasted));
  add("staleness_max", m.staleness_max);
  add("accuracy_final", m.accuracy_final);
  all.set("target", text(target_of(row)));
  add("time_to_target_s", m.time_to_target);
  add("time_to_target_stderr", m.time_to_target_stderr);
  add("updates_to_target", m.updates_to_target);
  add("loss_floor", m.loss_floor);
  add("total_h", m.total ? std::optional<double>(*m.total / 3600) : std::nullopt);
  add("cost_to_target", row.cost_to_target);
  add("energy_to_target_j", row.energy_to_target);
  add("failures", m.failures);
  return all;
}

std::string csv_cell(const std::string& value) {
  if (value.find_first_of(",\"\n\r") == std::string::npos) return value;
  std::string out = "\"";
  for (const char c : value) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string header(const std::vector<std::string>& swept) {
  // The columns are those of any row, so they cannot differ from the cells below them.
  ExperimentPoint none;
  none.network = std::make_shared<const Network>();
  ResultRow row;
  row.point = &none;
  std::string line;
  for (const Member& member : cells(row).members) line += (line.empty() ? "" : ",") + member.key;
  for (const std::string& path : swept) line += "," + csv_cell("swept." + path);
  for (const Member& member : further_cells(row).members) line += "," + member.key;
  return line + "\n";
}

}  // namespace

std::string results_csv(const std::vector<ResultRow>& rows, const std::vector<std::string>& swept) {
  std::string out = header(swept);
  for (const ResultRow& row : rows) {
    std::string line;
    for (const Member& member : cells(row).members) {
      line += (line.empty() ? "" : ",") + csv_cell(member.value.text);
    }
    for (const SweptKey& key : row.point->swept) line += "," + csv_cell(key.value);
    for (const Member& member : further_cells(row).members)
      line += "," + csv_cell(member.value.text);
    out += line + "\n";
  }
  return out;
}

std::string steps_csv(const std::vector<ResultRow>& rows) {
  std::string out =
      "point,source,worker,step,began_s,delay_s,compute_s,exposed_comm_s,wait_s,end_s,accepted\n";
  std::size_t written = 0;
  for (const ResultRow& row : rows) {
    const std::vector<StepRow>& steps = row.measurement.steps;
    written += steps.size();
    if (written > kMostSteps) break;
    for (const StepRow& step : steps) {
      // what is left of the step: transfers and server arithmetic that the worker stood still for
      const double spent = step.delay_s + step.compute_s + step.wait_s;
      const double exposed = std::max(0.0, step.end_s - step.began_s - spent);
      out += std::to_string(row.index) + "," + name_of(row.source) + "," +
             std::to_string(step.worker) + "," + std::to_string(step.step);
      for (const double value :
           {step.began_s, step.delay_s, step.compute_s, exposed, step.wait_s, step.end_s}) {
        out += "," + print_number(value);
      }
      out += step.accepted ? ",1\n" : ",0\n";
    }
  }
  return out;
}

std::string curves_csv(const std::vector<ResultRow>& rows) {
  std::string out = "point,source,repeat,updates,time_s,items,loss,accuracy\n";
  for (const ResultRow& row : rows) {
    for (const CurvePoint& point : row.measurement.curve) {
      out += std::to_string(row.index) + "," + name_of(row.source) + "," +
             std::to_string(point.repeat) + "," + std::to_string(point.updates);
      for (const double value : {point.time_s, point.items, point.loss, point.accuracy}) {
        out += "," + (std::isnan(value) ? std::string() : print_number(value));
      }
      out += "\n";
    }
  }
  return out;
}

std::string staleness_csv(const std::vector<ResultRow>& rows) {
  std::string out = "point,source,staleness,gradients\n";
  for (const ResultRow& row : rows) {
    const std::vector<double>& histogram = row.measurement.staleness;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      if (histogram[i] == 0) continue;
      out += std::to_string(row.index) + "," + name_of(row.source) + "," + std::to_string(i) + "," +
             print_number(histogram[i]) + "\n";
    }
  }
  return out;
}

std::string step_times_csv(const std::vector<ResultRow>& rows) {
  std::string out = "point,source,steps,mean_s,cv,share,step_s\n";
  for (const ResultRow& row : rows) {
    const StepTimes& times = row.measurement.step_times;
    const std::string same = std::to_string(row.index) + "," + name_of(row.source) + "," +
                             print_number(times.steps) + "," + print_number(times.mean_s) + "," +
                             print_number(times.cv) + ",";
    for (std::size_t i = 0; i < times.quantiles.size(); ++i) {
      const double share = static_cast<double>(i) / (StepTimes::kQuantiles - 1);
      out += same + print_number(share) + "," + print_number(times.quantiles[i]) + "\n";
    }
  }
  return out;
}

std::string results_json(const std::vector<ResultRow>& rows) {
  std::vector<Tree> all;
  for (const ResultRow& row : rows) {
    Tree object = cells(row);
    Tree swept = Tree::map();
    for (const SweptKey& key : row.point->swept) swept.set(key.path, Tree::scalar(key.value));
    object.set("swept", swept);
    for (Member& member : further_cells(row).members) object.set(member.key, member.value);
    all.push_back(std::move(object));
  }
  return to_json(Tree::list(std::move(all)), 2) + "\n";
}

}  // namespace paceline
