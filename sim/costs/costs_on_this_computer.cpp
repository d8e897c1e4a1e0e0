// SPDX-License-Identifier: MIT
#include "sim/costs/costs_on_this_computer.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/costs/length_costs.hpp"
#include "sim/costs/update_cost.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/experiment/setting.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

// Arithmetic on the host runs at a niceness of 10, so that threads that pass results on come first:
// their weights are 110 and 1024 (Linux, sched_prio_to_weight).
constexpr double kPrecedence = 1024.0 / 110.0;

/// The rates of memory for what the ranks of a workload touch; empty for a network's training and
/// between processes, where threads sleep.
std::optional<MemoryRates> memory_rates(const ExperimentPoint& point, const Profile& profile) {
  const Experiment& experiment = point.experiment;
  if (!experiment.workload || experiment.process_count() > 1 || !profile.exchange) return {};
  const Plan plan = make_setting(point).plan;
  const std::int64_t floats = buffers_of(*point.experiment.aggregation, plan).parameters();
  return profile.exchange->at(Bytes{kBytesPerParameter * static_cast<double>(floats)});
}

double bytes_of_parameters(const ExperimentPoint& point) {
  return static_cast<double>(point.network->parameters()) * kBytesPerParameter;
}

/// The costs of memory, threads and cores that were measured while the network trained.
void cost_in_place(Costs& costs, const NetworkProfile& measured, double bytes) {
  if (measured.decision) costs.decision = *measured.decision;
  costs.after_sleep = measured.after_sleep;
  if (measured.server_update && bytes > 0) {
    // A sum, like an update, reads data that another thread has written.
    const double colder = *measured.server_update / measured.update;
    costs.server_update *= colder;
    costs.server_reduce *= std::max(1.0, colder);
  }
  // Times of several workers: up to one per core, and then several per core.
  const double alone = (measured.forward_total() + measured.backward_total()).value();
  double all_busy = 1;  // speed of a worker while all cores are busy, relative to a worker alone
  for (const SharedTimes& shared : measured.shared) {
    const double speed = alone / (shared.forward + shared.backward).value();
    if (shared.workers == costs.cores) {
      all_busy = std::min(1.0, speed);
      costs.cores_together = all_busy * costs.cores;
    }
    if (shared.workers % costs.cores != 0) continue;
    const auto turns = static_cast<std::size_t>(shared.workers / costs.cores);
    const double whole = speed * static_cast<double>(turns) / all_busy;
    // Interpolates linearly between two measured numbers of workers.
    const std::size_t known = costs.turns.size();
    const double before = known == 0 ? whole : costs.turns.back();
    for (std::size_t n = known + 1; n <= turns; ++n) {
      const double way = static_cast<double>(n - known) / static_cast<double>(turns - known);
      costs.turns.push_back(std::min(1.0, before + (whole - before) * way));
    }
  }
}

void cost_of_layers(Prediction& prediction, const Profile& profile,
                    const NetworkProfile* measured) {
  const ExperimentPoint& point = *prediction.point;
  Costs& costs = prediction.costs;
  if (measured != nullptr) {
    costs.forward = measured->forward;
    costs.backward = measured->backward;
    cost_of_lengths(prediction, *measured);
    if (const auto validation = validation_of(point)) {
      const NetworkProfile* times = times_of(*validation, profile);
      if (times == nullptr) {
        throw std::runtime_error("no profile of '" + point.network->name + "' at batch " +
                                 std::to_string(validation->experiment.batch) +
                                 ", of its validation (run paceline calibrate)");
      }
      costs.validation = times->forward;
    }
    prediction.layer_times = {LayerTimes::Source::measured,
                              "measured on this computer (profile of " + profile.measured + ")"};
    return;
  }
  if (point.network->classes > 0) {
    throw std::runtime_error("no profile of '" + point.network->name + "' at batch " +
                             std::to_string(point.experiment.batch) + " (run paceline calibrate)");
  }
  for (const Layer& layer : point.network->layers) {
    costs.forward.push_back(layer.synthetic_forward);
    costs.backward.push_back(layer.synthetic_backward);
    if (point.experiment.validation) costs.validation.push_back(layer.synthetic_forward);
  }
  prediction.layer_times = {LayerTimes::Source::given, "given by the experiment"};
}

/// The time from queueing to execution: measured in training, or else that of waking a thread.
void cost_of_starts(Costs& costs, const HostFigures& host, const NetworkProfile* measured) {
  costs.busy_operation_start = host.copy_latency;
  costs.operation_start = host.copy_latency;
  if (measured == nullptr || !measured->start) return;
  costs.busy_passing_on = host.operation_work;
  costs.passing_on = measured->passing_on.value_or(Seconds{});
  costs.operation_start = *measured->start - costs.passing_on;
}

/// Threads that exchange and do nothing else look for work, and memory is as fast as the cache that
/// holds what they touch.
void cost_of_exchange(Costs& costs, const ExchangeProfile& measured, const MemoryRates& rates) {
  costs.worker_reduce = costs.server_reduce = 1 / rates.sum.value();
  costs.cores_together = costs.cores * std::min(1.0, rates.sums / rates.sum);
  costs.handling = measured.handling;
  costs.decision = measured.decision;
  // while a core is free, the next thread looks on it; else the core has to change threads
  costs.operation_start = measured.start;
  costs.busy_operation_start = {};
  costs.busy_passing_on = measured.start;
}

}  // namespace

HostFigures host_figures_of(const ExperimentPoint& point, const Profile& profile) {
  HostFigures host = profile.host;
  const NetworkProfile* measured = times_of(point, profile);
  const double bytes = bytes_of_parameters(point);
  if (measured != nullptr && bytes > 0) {
    host.copy_bandwidth = Bytes{bytes} / measured->copy;
    host.memory_bandwidth = std::max(host.memory_bandwidth, host.copy_bandwidth * host.cores);
  }
  if (const auto rates = memory_rates(point, profile)) {
    host.copy_bandwidth = rates->copy;
    host.memory_bandwidth = rates->copies * host.cores;
    host.copy_latency = profile.exchange->start;
  }
  if (measured != nullptr && measured->start) {
    host.copy_latency = *measured->start - measured->passing_on.value_or(Seconds{});
  }
  return host;
}

void cost_on_this_computer(Prediction& prediction, const Profile& profile) {
  const ExperimentPoint& point = *prediction.point;
  Costs& costs = prediction.costs;
  const NetworkProfile* measured = times_of(point, profile);
  cost_of_layers(prediction, profile, measured);
  const HostFigures& host = profile.host;
  const double bytes = bytes_of_parameters(point);
  if (measured != nullptr && bytes > 0) {
    costs.worker_update = costs.server_update = measured->update.value() / bytes;
    costs.worker_reduce = costs.server_reduce = measured->reduce.value() / bytes;
  } else {
    costs.worker_update = costs.server_update = kPasses / host.memory_bandwidth.value();
    costs.worker_reduce = costs.server_reduce = costs.worker_update;
  }
  cost_of_starts(costs, host, measured);
  costs.decision = host.decision_latency;
  costs.timer_error = host.timer_error;
  costs.handling = host.operation_handling;
  costs.cores = host.cores;
  if (point.experiment.process_count() > 1) {
    costs.processes =
        cost_of_processes(*point.experiment.processes, profile.tcp, prediction.plan.processes);
  }
  costs.precedence = kPrecedence;
  costs.loader_copy = 1 / host_figures_of(point, profile).copy_bandwidth.value();
  costs.slice_copy = costs.loader_copy;
  if (measured != nullptr) cost_in_place(costs, *measured, bytes);
  if (const auto rates = memory_rates(point, profile)) {
    cost_of_exchange(costs, *profile.exchange, *rates);
  }
}

}  // namespace paceline
