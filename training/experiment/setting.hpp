// SPDX-License-Identifier: MIT
/// \file
/// A point prepared for a clock: the plan that its roles follow, the machine with the vertices of
/// the roles, and the rules by which its updates are counted. Every clock gets the same plan; costs
/// belong to the simulator alone (sim/costs/prediction.hpp).
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "training/experiment/experiment_file.hpp"
#include "training/experiment/lengths_of_point.hpp"
#include "training/results/metrics/recorder.hpp"
#include "training/results/trace/copy_links.hpp"
#include "training/results/trace/span_name.hpp"
#include "training/results/trace/span_recorder.hpp"
#include "training/workload/placement.hpp"

namespace paceline {

struct Setting {
  const ExperimentPoint* point = nullptr;
  std::shared_ptr<const Machine> machine;  ///< an ideal one if this computer was not measured
  Plan plan;                  ///< without delays and observer, which plan_of() adds for each repeat
  std::vector<int> vertices;  ///< of every role, in the machine
  int shared_card = -1;  ///< the vertex of the card that all workers share; -1: each has its own
  std::shared_ptr<const BatchLengths> lengths;  ///< null: all items have the network's shape
  Counting counting;
  SpanRecorder* spans = nullptr;  ///< receives the first repeat; null: no trace
  /// Receives the weights at the end of the last repeat of training, unless it diverges; null: they
  /// are not kept.
  std::vector<float>* weights = nullptr;

  /// The time of a worker's arithmetic for its mini-batch number `step`, slowdown included, if the
  /// clock knows it; a delay with `applies: total` is shorter by this time.
  using ArithmeticTime = std::function<Seconds(RoleId worker, std::int64_t step)>;
  /// The plan of a repeat, reporting to `observer`.
  Plan plan_of(std::uint32_t repeat, Observer* observer, ArithmeticTime arithmetic) const;
};

/// Prepares `point` for a clock that needs no routes and no costs, on an ideal machine.
Setting make_setting(const ExperimentPoint& point);

/// Prepares `point` on `machine` with the devices of `pool`.
Setting make_setting(const ExperimentPoint& point, std::shared_ptr<const Machine> machine,
                     const DevicePool& pool);

/// The computer of each worker; empty where there is one computer.
std::vector<int> computers_of_workers(const ExperimentPoint& point);

/// The processes of a point, or the computers of its workers in a cluster: the servers of
/// placement `hosts`.
int hosts_of(const ExperimentPoint& point);

/// The workers and shards of a point and their common plan, without the number of updates.
Plan plan_of_roles(const ExperimentPoint& point);

/// The placement of the roles of `plan`, a plan of `point`.
Placement placement_of(const ExperimentPoint& point, const Plan& plan, const DevicePool& pool);

/// Moves the servers on other computers, and their writers, to the first worker's computer, over
/// its sockets in turn. Returns true if a server has moved.
bool gather_at_first_worker(Setting& setting);

/// The links of copies and the names of roles for a trace of the setting. `setting` must outlive
/// them.
CopyLinks copy_links_of(const Setting& setting);
SpanNames names_of(const Setting& setting);

}  // namespace paceline
