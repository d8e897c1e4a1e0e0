// SPDX-License-Identifier: MIT
/// \file
/// Runs of workers with given times of mini-batches and deaths, and what happened in words.
#pragma once
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/devices/simulated_machine.hpp"
#include "sim/simulate.hpp"

namespace paceline {

inline Seconds ms(double count) {
  return Seconds{count * 1e-3};
}

/// Writes down what happens, each with its time in milliseconds.
class EventRecorder final : public Observer {
 public:
  explicit EventRecorder(int workers) : workers_(workers) {}
  void begun(RoleId worker, std::int64_t step, Instant at) override {
    note(begins, worker, step, at);
  }
  void span(WorkId work, Activity activity, Instant begin, Instant end) override {
    if (activity != Activity::wait) return;
    waits.push_back(std::to_string(work.worker) + ": " + time(begin) + " to " + time(end));
  }
  void accepted(RoleId worker, std::int64_t step, std::int64_t, std::int64_t applied) override {
    taken.push_back(std::to_string(worker) + "." + std::to_string(step) + " into " +
                    std::to_string(applied + 1));
  }
  void cancelled(RoleId worker, std::int64_t step, std::int64_t, Instant at) override {
    note(lost, worker, step, at);
  }
  void updated(RoleId role, std::int64_t version, Instant at) override {
    if (role == workers_) updates.push_back(std::to_string(version) + " at " + time(at));
  }

  std::vector<std::string> begins, waits, taken, lost, updates;

 private:
  static std::string time(Instant at) {
    return print_number(std::round((at - Instant{}).value() * 1e9) / 1e6);
  }
  static void note(std::vector<std::string>& list, RoleId worker, std::int64_t step, Instant at) {
    list.push_back(std::to_string(worker) + "." + std::to_string(step) + " at " + time(at));
  }
  int workers_;
};

/// A scenario: how long each mini-batch of a worker takes, and the time of each death.
struct Scenario {
  std::string update;
  std::vector<double> mini_batch_ms;                              ///< by worker
  std::map<std::pair<RoleId, std::int32_t>, double> lifetime_ms;  ///< by worker and life
  std::optional<double> restart_ms;
  std::int64_t updates = 1;
  double update_ms = 0;
};

/// The events, and the error.
inline std::string run(const Scenario& scenario, EventRecorder& events) {
  const bool learns = scenario.update.find("adasync") != std::string::npos;
  const std::string text = std::string("name: story\nmachine: ideal\nsoftware: ideal\nmodel: ") +
                           (learns ? "{kind: linear}\ntrain: {dataset: least-squares}"
                                   : "{kind: synthetic, compute: 0 s, gradient: 1 kB}") +
                           "\nworkers: " + std::to_string(scenario.mini_batch_ms.size()) +
                           "\nupdate: " + scenario.update + "\n";
  const ExperimentFile file = load_experiment_text("story.yaml", text, {});
  Prediction setting = make_prediction(file.points.front(), nullptr);
  setting.costs.server_update = ms(scenario.update_ms).value() / 1000;
  Plan plan = setting.plan_of(0, &events);
  plan.updates = scenario.updates;
  plan.gradients = scenario.updates * plan.rule.gradients;
  plan.delay = [&scenario](RoleId worker, std::int64_t) {
    return ms(scenario.mini_batch_ms[static_cast<std::size_t>(worker)]);
  };
  plan.mortality.lifetime = [&scenario](RoleId worker, std::int32_t life) {
    const auto found = scenario.lifetime_ms.find({worker, life});
    return found != scenario.lifetime_ms.end() ? ms(found->second) : Seconds{1e4};
  };
  if (scenario.restart_ms) plan.mortality.restart = ms(*scenario.restart_ms);
  SimulatedMachine clock(*setting.machine, setting.costs, setting.vertices, plan.workers, &events);
  try {
    for (RoleId role = 0; role < plan.roles(); ++role) {
      clock.start_role(role, (*setting.point->experiment.aggregation).program(plan, clock, role));
    }
    clock.run();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace paceline
