// SPDX-License-Identifier: MIT
/// \file
/// Short simulations of variants of one point (more workers, faster links), for questions about it.
/// Only times matter to them: nothing is trained and no worker dies.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "cli/busy_shares.hpp"
#include "cli/execution_device.hpp"

namespace paceline {

/// What a short simulation says.
struct Probed {
  double throughput = 0;             ///< items/s
  std::vector<SharedResource> busy;  ///< the busiest first
  /// The busiest that further workers fill; of no name, and never busy, where there is none.
  SharedResource busiest() const;
};

class Probe {
 public:
  /// A change of the experiment before it is made ready, and of the setting made of it.
  struct Variant {
    std::function<void(Experiment&)> experiment = [](Experiment&) {};
    std::function<void(Setting&)> setting = [](Setting&) {};
  };

  /// `rounds` are measured, after `warmup`, or those of the point where they are fewer. The point
  /// and the profile must outlive this.
  Probe(const ExperimentPoint& point, Device asked, const Profile* profile, std::int64_t rounds);

  /// What a probe is to cost at most, in spans, all variants together; a million take some second.
  void set_budget(double spans) { left_ = spans; }
  /// Whether another variant of so many workers is within the budget.
  bool affords(int workers) const;

  /// The point with so many workers, whose batch is that of the point.
  Probed with_workers(int workers);
  Probed with(const Variant& variant);

 private:
  ExperimentPoint point_;
  Device asked_;
  const Profile* profile_;
  std::optional<std::vector<Seconds>> forward_, backward_;  ///< matched to what was published
  double left_ = 0;
  int last_workers_ = 0;
  double last_cost_ = 0;
  double growth_ = 1;  ///< of the cost: an exponent of the number of workers
};

/// The rounds of which as many mini-batches are begun as of `rounds` where none is cancelled: an
/// update that cancels the others' mini-batches begins one of every worker.
std::int64_t as_many_as(std::int64_t rounds, const Experiment& experiment);

/// One repeat of the point, with as few of a long run's rounds as show a step and take no second to
/// simulate. A point of which short simulations cannot answer keeps all of them.
ExperimentPoint shortened(const ExperimentPoint& point);

/// The point for a simulation of times alone. A setting is made of the point itself before: which
/// data it trains on says which measured times are its own.
ExperimentPoint without_training(const ExperimentPoint& point);

/// Whether short simulations can answer for a point: not where K follows the loss.
bool can_probe(const ExperimentPoint& point);

}  // namespace paceline
