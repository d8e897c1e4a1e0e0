// SPDX-License-Identifier: MIT
#include "cli/what_if.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/link_classes.hpp"
#include "cli/probe.hpp"
#include "cli/step_parts.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {
namespace {

constexpr double kFaster = 2;
constexpr double kMiniBatches = 400;  // per simulation, over all workers
constexpr double kNone = 1e-6;        // relative change; less is rounding
constexpr double kLeast = 1e-3;  // gain, or difference of gains, that another bound accounts for
constexpr double kFull = 0.9;    // busy share from which a resource binds
constexpr std::size_t kMostNamed = 3;  // workers with a change of their own

const char* title_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::pcie:
      return "PCIe";
    case LinkKind::nvlink:
      return "NVLink";
    case LinkKind::qpi:
      return "QPI";
    case LinkKind::upi:
      return "UPI";
    case LinkKind::ethernet:
      return "Ethernet";
    case LinkKind::roce:
      return "RoCE";
    case LinkKind::infiniband:
      return "InfiniBand";
    case LinkKind::omni_path:
      return "Omni-Path";
    case LinkKind::efa:
      return "EFA";
    case LinkKind::tcpx:
      return "GPUDirect-TCPX";
    case LinkKind::memory:
      break;
  }
  return "memory";
}

/// The kinds of the machine's links, without repeats.
std::vector<LinkKind> link_kinds(const Machine& machine) {
  std::vector<LinkKind> kinds;
  for (const LinkDirection& link : machine.sampled().links()) {
    if (std::find(kinds.begin(), kinds.end(), link.kind) == kinds.end()) kinds.push_back(link.kind);
  }
  return kinds;
}

/// True if links of the kind limit a single transfer, independent of their bandwidth.
bool bounds_transfers(const Machine& machine, LinkKind kind) {
  return std::ranges::any_of(machine.sampled().links(), [kind](const LinkDirection& link) {
    return link.kind == kind && link.connection > BytesPerSecond{};
  });
}

/// Simulates the point with one change at a time.
class Changes {
 public:
  Changes(const ExperimentPoint& point, Device device, const Profile* profile)
      : experiment_(point.experiment),
        probe_(point, device, profile, rounds_of(point.experiment)),
        now_(probe_.with({})),
        setting_(prediction_of(point, device, profile)),
        exchanges_(experiment_.aggregation->exchanges() && setting_.plan.programs() > 1) {}

  std::vector<WhatIf> all() {
    if (exchanges_) add_links();
    add_stragglers();
    add_lengths();
    add_input();
    add_library();
    if (exchanges_) add_overlap();
    add_costs();
    return std::move(all_);
  }

 private:
  static std::int64_t rounds_of(const Experiment& experiment) {
    return static_cast<std::int64_t>(std::max(8.0, kMiniBatches / experiment.workers));
  }

  double gain_of(const Probe::Variant& variant) {
    const double gain =
        now_.throughput > 0 ? probe_.with(variant).throughput / now_.throughput - 1 : 0;
    return std::fabs(gain) < kNone ? 0 : gain;
  }
  double gain_with(std::function<void(Prediction&)> change) {
    Probe::Variant variant;
    variant.setting = std::move(change);
    return gain_of(variant);
  }
  void add(const std::string& name, double gain, const std::string& bound_by = "") {
    all_.push_back({name, gain, bound_by});
  }
  void add_of(const std::string& name, std::function<void(Experiment&)> change) {
    Probe::Variant variant;
    variant.experiment = std::move(change);
    add(name, gain_of(variant));
  }

  static std::function<void(Prediction&)> faster(LinkKind kind, bool links, bool connections) {
    return [=](Prediction& changed) {
      Machine machine = *changed.machine;
      if (links) machine = machine.with_faster_links(kind, kFaster);
      if (connections) machine = machine.with_faster_connections(kind, kFaster);
      changed.machine = std::make_shared<const Machine>(std::move(machine));
    };
  }

  /// Adds a change for each kind of link of the machine, and one for the network between processes.
  void add_links() {
    for (const LinkKind kind : link_kinds(*setting_.machine)) {
      const std::string title = title_of(kind);
      const double links = gain_with(faster(kind, true, false));
      const bool described = setting_.machine->kind() == Machine::Kind::described;
      if (kind == LinkKind::memory && described && links < kLeast) continue;
      if (!bounds_transfers(*setting_.machine, kind)) {
        add(title + " twice as fast", links, links < kLeast ? full_resource() : "");
        continue;
      }
      const double connections = gain_with(faster(kind, false, true));
      const double both = gain_with(faster(kind, true, true));
      const bool held_back = both > links + kLeast;
      add(title + " twice as fast", links, held_back ? limit_of_transfer(kind) : "");
      add(limit_of_transfer(kind) + " twice as fast", connections);
      if (both > std::max(links, connections) + kLeast) {
        add(title + " and " + limit_of_transfer(kind) + " twice as fast", both);
      }
    }
    if (!setting_.costs.processes.several()) return;
    add("network between processes twice as fast", gain_with([](Prediction& changed) {
          ProcessCosts& processes = changed.costs.processes;
          processes.link = processes.link * kFaster;
          processes.stream = processes.stream * kFaster;
        }));
  }

  /// The resource that keeps a faster link from helping; "" if none is full.
  std::string full_resource() const {
    return !now_.busy.empty() && now_.busy.front().busy >= kFull ? now_.busy.front().name : "";
  }

  void add_stragglers() {
    const Stragglers& stragglers = experiment_.stragglers;
    const bool of_all = stragglers.compute || stragglers.communication;
    if (of_all || !stragglers.workers.empty()) {
      add_of("no stragglers", [](Experiment& changed) { changed.stragglers = {}; });
    }
    const std::size_t named = stragglers.workers.size();
    if (named > kMostNamed || (named < 2 && !of_all)) return;
    for (const auto& [id, own] : stragglers.workers) {
      add_of("worker " + std::to_string(id) + " as fast as the others",
             [worker = id](Experiment& changed) { changed.stragglers.workers.erase(worker); });
    }
  }

  void add_lengths() {
    const auto& lengths = experiment_.lengths;
    if (!lengths || lengths->buckets <= 1 || experiment_.workers <= 1 || lengths->same_bucket)
      return;
    add_of("one bucket for all workers",
           [](Experiment& changed) { changed.lengths->same_bucket = true; });
  }

  void add_input() {
    if (!experiment_.input->loading()) return;
    add_of("no waiting for input",
           [](Experiment& changed) { changed.input = Choice<InputSource>("synthetic"); });
  }

  void add_library() {
    if (setting_.costs.dispatch > Seconds{}) {
      add("kernels launched in no time", gain_with(without_launches));
    }
    const AllReduce* library = experiment_.aggregation->all_reduce();
    if (library == nullptr || !library->native() || experiment_.workload) return;
    add("all-reduce that takes nothing from the GPU", gain_with(without_occupation));
  }

  void add_overlap() {
    const bool overlaps = experiment_.aggregation->overlap();
    const char* value = overlaps ? "false" : "true";
    const auto other = with_key(experiment_.aggregation, "overlap", value);
    if (!other) return;
    add_of(overlaps ? "no overlap with backward" : "overlap with backward",
           [&other](Experiment& changed) { changed.aggregation = other; });
  }

  void add_costs() {
    const double gain = gain_with([](Prediction& changed) {
      Costs& costs = changed.costs;
      costs.worker_update = costs.server_update = costs.worker_reduce = costs.server_reduce = 0;
    });
    // a loss only shows that the workers share the links in another order
    if (gain >= 0) add("free sums and updates", gain);
  }

  const Experiment& experiment_;
  Probe probe_;
  Probed now_;
  Prediction setting_;
  bool exchanges_;
  std::vector<WhatIf> all_;
};

}  // namespace

std::vector<WhatIf> what_if(const ExperimentPoint& point, Device device, const Profile* profile) {
  if (!can_probe(point)) return {};
  return Changes(point, device, profile).all();
}

}  // namespace paceline
