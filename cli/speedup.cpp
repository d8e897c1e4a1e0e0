// SPDX-License-Identifier: MIT
#include "cli/speedup.hpp"

#include <algorithm>
#include <map>

#include "training/experiment/described_gpus.hpp"
#include "training/experiment/repeats.hpp"
#include "training/experiment/setting.hpp"

namespace paceline {
namespace {

/// The key of rows that are compared with each other.
std::string group_of(const ResultRow& row) {
  std::string group = name_of(row.source);
  for (const SweptKey& key : row.point->swept) {
    const bool apart =
        key.path == "workers" || key.path == "update" || key.path.starts_with("update.");
    if (!apart) group += "\n" + key.path + "=" + key.value;
  }
  // updates with different exchange intervals are not compared
  const auto& update = row.point->experiment.update;
  const Tree keys = update ? Value<Choice<UpdatePolicy>>::write(*update) : Tree{};
  for (const char* name : {"push_every", "fetch_every", "every"}) {
    const Tree* value = keys.is_map() ? keys.find(name) : nullptr;
    if (value != nullptr) group += std::string("\nupdate.") + name + "=" + value->text;
  }
  return group;
}

/// True if `a` is a better base than `b` for a row with `update`.
bool better_base(const ResultRow& a, const ResultRow& b, const std::string& update) {
  const int workers_a = a.point->experiment.workers;
  const int workers_b = b.point->experiment.workers;
  if (workers_a != workers_b) return workers_a < workers_b;
  return a.point->update_name() == update && b.point->update_name() != update;
}

void relate_to(ResultRow& row, const ResultRow& base) {
  const Measurement& mine = row.measurement;
  const Measurement& other = base.measurement;
  const double workers = row.point->experiment.workers;
  const double base_workers = base.point->experiment.workers;
  const std::optional<double> reference =
      base.beside_servers ? base.beside_servers : other.throughput;
  if (mine.throughput && reference && *reference > 0) {
    row.base_workers = base_workers;
    row.base_point = base.index;
    row.base_beside_servers = base.beside_servers.has_value();
    row.speedup = *mine.throughput / *reference;
    row.efficiency = *row.speedup * base_workers / workers;
  }
  if (mine.step_mean && other.step_mean) row.overhead = *mine.step_mean - *other.step_mean;
}

/// Whether two rows are of the same job, the second alone on the machine.
bool is_alone(const ResultRow& row, const ResultRow& other) {
  if (other.source != row.source || !other.point->beside.empty()) return false;
  const auto same = [](const SweptKey& a, const SweptKey& b) {
    return a.path == b.path && (a.value == b.value || a.path == kFabricKey);
  };
  return std::ranges::equal(row.point->swept, other.point->swept, same);
}

void compare_with_alone(ResultRow& row, const std::vector<ResultRow>& rows) {
  if (row.point->beside.empty() || !row.measurement.throughput) return;
  for (const ResultRow& other : rows) {
    if (!other.usable() || !is_alone(row, other) || !other.measurement.throughput) continue;
    row.slowdown = *other.measurement.throughput / *row.measurement.throughput;
  }
}

/// Sets the cost and the energy of the GPUs up to the target, if the machine gives price and power.
void price(ResultRow& row) {
  const auto& machine = row.point->machine;
  const auto& time = row.measurement.time_to_target;
  if (!machine || !time) return;
  const int gpus = row.point->experiment.devices ? 1 : row.point->experiment.workers;
  if (const auto rate = machine->price(gpus)) {
    row.cost_to_target = (*rate * Seconds{*time}).value();
  }
  if (const auto power = machine->power(gpus)) {
    row.energy_to_target = (*power * Seconds{*time}).value();
  }
}

}  // namespace

const char* name_of(Source source) {
  switch (source) {
    case Source::theory:
      return "theory";
    case Source::predicted:
      return "predicted";
    case Source::measured:
      return "measured";
    case Source::published:
      return "published";
  }
  return "";
}

Measurement published_measurement(const ExperimentPoint& point) {
  Measurement measurement;
  const double throughput = point.published->throughput;
  measurement.throughput = throughput;
  if (const auto& workload = point.experiment.workload) {
    const double factor = bus_factor((*workload)->operation(), point.experiment.workers);
    measurement.iteration_mean = (*workload)->size().value() / throughput;
    measurement.bus_bandwidth = throughput * factor;
    return measurement;
  }
  const int gradients = point.experiment.update ? point.k() : point.experiment.workers;
  measurement.iteration_mean = gradients * point.experiment.batch / throughput;
  return measurement;
}

void relate(std::vector<ResultRow>& rows) {
  std::map<std::string, std::vector<const ResultRow*>> groups;
  for (const ResultRow& row : rows) {
    if (row.usable()) groups[group_of(row)].push_back(&row);
  }
  for (ResultRow& row : rows) {
    if (!row.usable()) continue;
    const std::string update = row.point->update_name();
    const std::vector<const ResultRow*>& group = groups.at(group_of(row));
    const ResultRow* base = group.front();
    for (const ResultRow* other : group) {
      if (better_base(*other, *base, update)) base = other;
    }
    relate_to(row, *base);
    const auto& samples = row.point->experiment.samples_per_epoch;
    const auto& throughput = row.measurement.throughput;
    price(row);
    compare_with_alone(row, rows);
    if (samples && throughput && *throughput > 0) {
      row.epoch = static_cast<double>(*samples) / *throughput;
    }
  }
}

std::string target_of(const ResultRow& row) {
  const auto& train = row.point->experiment.train;
  if (!train) return "";
  const Target target = paceline::target_of(*train);
  std::string words;
  if (target.loss) words = "loss " + print_number(*target.loss);
  if (target.accuracy) {
    words += (words.empty() ? "" : ", ") + std::string("accuracy ") +
             print_number(100 * *target.accuracy) + " %";
  }
  return words;
}

std::string device_of(const ResultRow& row) {
  if (row.source == Source::measured || !row.point->machine) return row.cuda ? "cuda" : "host";
  if (row.point->machine->kind() != Machine::Kind::described) return "";
  const auto& devices = row.point->experiment.devices;
  if (row.point->machine->kind() == Machine::Kind::described &&
      row.point->machine->gpu_count() == 0) {
    return "host";
  }
  return row.point->machine->gpu(gpu_of(devices, 0, worker_gpus(*row.point))).name;
}

std::optional<int> shown_k(const ExperimentPoint& point) {
  if (!point.experiment.update) return std::nullopt;
  return point.k();
}

}  // namespace paceline
