// SPDX-License-Identifier: MIT
/// \file
/// Runs one repeat of a point on both clocks: simulated, and real threads with real gradients on
/// the clock that jumps. Nothing but the delays takes time on either.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/host/execution.hpp"
#include "sim/costs/prediction.hpp"
#include "sim/simulate.hpp"
#include "training/experiment/profiled_workload.hpp"

namespace paceline {

/// A computer on which nothing but the delays takes time, as on the jumping clock.
inline Profile free_computer(const ExperimentPoint& point) {
  Profile profile;
  profile.host.cores = 64;
  profile.host.copy_bandwidth = profile.host.memory_bandwidth = BytesPerSecond{1e18};
  NetworkProfile network;
  network.network = point.network->name;
  network.parameters = point.network->parameters();
  network.batch = point.experiment.batch;
  network.optimizer = point.experiment.optimizer.kind();
  network.dataset = dataset_of(point.experiment, *point.network).kind();
  network.forward = network.backward = std::vector<Seconds>(point.network->layers.size());
  network.copy = Seconds{1e-15};
  if (point.experiment.lengths) {
    network.by_length.push_back({point.network->input.height, network.forward, network.backward});
  }
  profile.networks.push_back(network);
  if (const auto validation = validation_of(point)) {
    network.batch = validation->experiment.batch;
    profile.networks.push_back(network);
  }
  return profile;
}

/// Accepted gradients as one sequence; cancelled ones by worker, since workers cancel on their own.
struct Order {
  std::vector<GradientEvent> accepted;
  std::map<int, std::vector<GradientEvent>> cancelled;
  Order() = default;
  explicit Order(const std::vector<GradientEvent>& events) {
    for (const GradientEvent& event : events) {
      if (event.applied >= 0) {
        accepted.push_back(event);
      } else {
        cancelled[event.worker].push_back(event);
      }
    }
  }
};

/// The result of a repeat on a clock.
struct ClockRun {
  std::vector<GradientEvent> events;
  std::vector<CurvePoint> curve;
  Measurement result;
  Samples samples;
  std::string status = "ok";  ///< or what was thrown
};

/// `run(recorder, status)` gives the curve.
template <class Run>
ClockRun record(const Setting& setting, const Run& run) {
  ClockRun clock_run;
  Recorder recorder(setting.counting);
  try {
    clock_run.curve = run(recorder, clock_run.status);
  } catch (const std::exception& error) {
    clock_run.status = std::string("failed: ") + error.what();
  }
  clock_run.events = recorder.gradients();
  clock_run.result = recorder.result();
  clock_run.samples = recorder.samples();
  return clock_run;
}

/// The same updates, with the same losses to the bit.
inline void expect_one_curve(const std::vector<CurvePoint>& a, const std::vector<CurvePoint>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].updates, b[i].updates);
    EXPECT_THAT(a[i].loss, testing::NanSensitiveDoubleEq(b[i].loss));
    EXPECT_EQ(a[i].items, b[i].items);
    EXPECT_NEAR(a[i].time_s, b[i].time_s, 1e-9);
  }
}

/// The same figures, but for the last bits of a time.
inline void expect_one_measurement(const Measurement& a, const Measurement& b) {
  EXPECT_EQ(a.updates, b.updates);
  EXPECT_EQ(a.staleness_mean, b.staleness_mean);
  EXPECT_EQ(a.staleness, b.staleness);
  EXPECT_EQ(a.failures, b.failures);
  using Field = std::optional<double> Measurement::*;
  static constexpr std::pair<const char*, Field> kTimes[] = {
      {"iteration", &Measurement::iteration_mean},
      {"step", &Measurement::step_mean},
      {"delay", &Measurement::delay},
      {"wait", &Measurement::wait},
      {"input", &Measurement::input},
      {"exposed_comm", &Measurement::exposed_comm},
      {"validation", &Measurement::validation},
      {"checkpoint", &Measurement::checkpoint},
      {"wasted", &Measurement::wasted},
      {"throughput", &Measurement::throughput},
      {"total", &Measurement::total}};
  for (const auto& [name, field] : kTimes) {
    ASSERT_EQ((a.*field).has_value(), (b.*field).has_value()) << name;
    EXPECT_NEAR((a.*field).value_or(0), (b.*field).value_or(0), 1e-9 * (1 + (b.*field).value_or(0)))
        << name;
  }
}

inline ClockRun on_simulator(const Prediction& setting) {
  Trainer trainer(setting, 1);
  return record(setting, [&](Recorder& recorder, std::string& status) {
    return simulate_training(setting, trainer, 0, recorder, status);
  });
}

inline ClockRun on_threads(const Setting& setting) {
  Execution execution(setting);
  JumpingTime time;
  return record(setting, [&](Recorder& recorder, std::string& status) {
    Executed executed = execution.run(0, recorder, time);
    status = executed.status;
    return executed.curve;
  });
}

/// A point on both clocks, each of its gradients noted.
struct BothClocks {
  explicit BothClocks(const ExperimentPoint& point) {
    const Profile profile = free_computer(point);
    Prediction setting = make_prediction(point, &profile);
    setting.counting.keep_gradients = true;
    simulated = on_simulator(setting);
    real = on_threads(setting);
  }
  ClockRun simulated, real;
};

}  // namespace paceline
