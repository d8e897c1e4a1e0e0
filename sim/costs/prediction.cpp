// SPDX-License-Identifier: MIT
#include "sim/costs/prediction.hpp"

#include <stdexcept>

#include "sim/costs/costs_on_gpus.hpp"
#include "sim/costs/costs_on_this_computer.hpp"
#include "sim/costs/gpu_layer_times.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/profile/measured_machine.hpp"

namespace paceline {
namespace {

/// Places the point's roles: workers have GPUs unless the machine is this computer's threads.
Prediction place_on(const ExperimentPoint& point, std::shared_ptr<const Machine> machine) {
  DevicePool pool;
  pool.gpus = machine->kind() != Machine::Kind::this_computer;
  pool.sockets = machine->host().sockets;
  pool.cores = machine->host().cores;
  Prediction prediction(make_setting(point, std::move(machine), pool));
  prediction.costs.seed = point.experiment.seed;
  prediction.costs.slowdown = prediction.plan.slowdown;
  prediction.costs.computers = prediction.plan.computers;
  prediction.costs.programs = prediction.plan.programs();
  prediction.costs.writers = prediction.plan.first_writer();
  return prediction;
}

}  // namespace

Prediction make_prediction(const ExperimentPoint& point, const Profile* profile) {
  if (point.machine) {
    if (point.machine->kind() == Machine::Kind::described && point.machine->gpu_count() == 0) {
      throw std::runtime_error(
          "machine '" + point.machine->name() +
          "' has no GPUs, and its threads have no profile on this computer (run paceline there)");
    }
    Prediction prediction = place_on(point, point.machine);
    cost_on_gpus(prediction, profile);
    slow_by_gpu(prediction);
    slow_by_board(prediction);
    slow_by_variation(prediction);
    for (const auto& other : point.beside) {
      prediction.beside.push_back(make_prediction(*other, profile));
    }
    return prediction;
  }
  if (profile == nullptr) {
    throw std::runtime_error("machine 'this' needs a profile (run paceline calibrate)");
  }
  Prediction prediction = place_on(
      point, std::make_shared<const Machine>(this_machine(host_figures_of(point, *profile))));
  cost_on_this_computer(prediction, *profile);
  return prediction;
}

Prediction make_prediction_on_gpus(const ExperimentPoint& point, const Profile& profile) {
  if (point.network->classes > 0 && times_on_gpu(point, profile) == nullptr) {
    throw std::runtime_error("no profile of '" + point.network->name + "' at batch " +
                             std::to_string(point.experiment.batch) +
                             " on this GPU (run paceline calibrate)");
  }
  if (!has_links(profile)) {
    throw std::runtime_error("no profile of this computer's links (run paceline calibrate)");
  }
  Prediction prediction =
      place_on(point, std::make_shared<const Machine>(measured_machine(profile)));
  cost_on_gpus(prediction, &profile);
  return prediction;
}

Plan Prediction::plan_of(std::uint32_t repeat, Observer* observer) const {
  if (!point->experiment.stragglers.need_arithmetic())
    return Setting::plan_of(repeat, observer, {});
  if (lengths != nullptr) {
    const auto shared = std::make_shared<const Costs>(costs_of(repeat));
    return Setting::plan_of(repeat, observer, [shared](RoleId worker, std::int64_t step) {
      return shared->arithmetic_of({worker, step});
    });
  }
  std::vector<Seconds> arithmetic;
  for (int worker = 0; worker < plan.workers; ++worker)
    arithmetic.push_back(costs.arithmetic(worker));
  return Setting::plan_of(
      repeat, observer, [arithmetic = std::move(arithmetic)](RoleId worker, std::int64_t /*step*/) {
        return arithmetic[static_cast<std::size_t>(worker)];
      });
}

Costs Prediction::costs_of(std::uint32_t repeat) const {
  Costs copy = costs;
  copy.repeat = repeat;
  return copy;
}

}  // namespace paceline
