// SPDX-License-Identifier: MIT
/// \file
/// Short simulations of variants of a point (more workers, faster links), for what-if analyses.
/// Only times matter: the variants have no training and no failures.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "cli/busy_shares.hpp"
#include "cli/execution_device.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {

/// The result of a short simulation.
struct Probed {
  double throughput = 0;             ///< items/s
  std::vector<SharedResource> busy;  ///< the busiest first
  /// The busiest resource that more workers would fill; without a name and never busy if there is
  /// none.
  SharedResource busiest() const;
};

class Probe {
 public:
  /// A variant: changes to the experiment before it is prepared, and to the setting made from it.
  struct Variant {
    std::function<void(Experiment&)> experiment = [](Experiment&) {};
    std::function<void(Prediction&)> setting = [](Prediction&) {};
  };

  /// Measures `rounds` rounds, or those of the point if they are fewer, after a warm-up. The point
  /// and the profile must outlive this object.
  Probe(const ExperimentPoint& point, Device device, const Profile* profile, std::int64_t rounds);

  /// Limits the cost of all later variants together, in spans; a million spans take about one
  /// second.
  void set_budget(double spans) { left_ = spans; }
  /// Of the machine that a prediction of the point takes place on.
  std::optional<int> worker_limit() const { return worker_limit_; }
  /// True if the budget suffices for a variant with this number of workers.
  bool affords(int workers) const;

  /// Simulates the point with this number of workers and the batch size of the point.
  Probed with_workers(int workers);
  Probed with(const Variant& variant);

 private:
  ExperimentPoint point_;
  Device device_;
  const Profile* profile_;
  std::optional<int> worker_limit_;
  std::optional<Costs> matched_;  ///< with layer times matched to the published row
  double left_ = 0;
  int last_workers_ = 0;
  double last_cost_ = 0;
  double growth_ = 1;  ///< exponent of the cost in the number of workers
};

/// The number of rounds in which about as many mini-batches begin as in `rounds` rounds without
/// cancellation. An update that cancels the others' mini-batches begins one mini-batch of every
/// worker.
std::int64_t as_many_as(std::int64_t rounds, const Experiment& experiment);

/// One repeat of the point. A long run is shortened to rounds that still show a step and take less
/// than a second to simulate. A point for which can_probe() is false keeps all rounds.
ExperimentPoint shortened(const ExperimentPoint& point);

/// The point without training, for a simulation of times only. Make the setting from the original
/// point: its data set selects the measured times.
ExperimentPoint without_training(const ExperimentPoint& point);

/// True if short simulations represent a point; false if K follows the loss.
bool can_probe(const ExperimentPoint& point);

}  // namespace paceline
