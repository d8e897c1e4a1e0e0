// SPDX-License-Identifier: MIT
#include "cli/what_if.hpp"

#include <algorithm>
#include <cmath>

#include "cli/probe.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {
namespace {

constexpr double kFaster = 2;
constexpr double kMiniBatches = 400;  // per simulation, over all workers
constexpr double kNone = 1e-6;        // relative change; less is rounding

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

struct NamedVariant {
  std::string name;
  Probe::Variant variant;
};

/// One for each kind of link of the machine, and one for the network between processes.
std::vector<NamedVariant> faster_links(const Prediction& setting) {
  std::vector<NamedVariant> variants;
  for (const LinkKind kind : link_kinds(*setting.machine)) {
    Probe::Variant faster;
    faster.setting = [kind](Prediction& changed) {
      changed.machine =
          std::make_shared<const Machine>(changed.machine->with_faster_links(kind, kFaster));
    };
    variants.push_back({std::string(title_of(kind)) + " twice as fast", std::move(faster)});
  }
  if (setting.costs.processes.several()) {
    Probe::Variant faster;
    faster.setting = [](Prediction& changed) {
      ProcessCosts& processes = changed.costs.processes;
      processes.link = processes.link * kFaster;
      processes.stream = processes.stream * kFaster;
    };
    variants.push_back({"network between processes twice as fast", std::move(faster)});
  }
  return variants;
}

}  // namespace

std::vector<WhatIf> what_if(const ExperimentPoint& point, Device device, const Profile* profile) {
  std::vector<WhatIf> all;
  if (!can_probe(point)) return all;
  const Experiment& experiment = point.experiment;
  const double rounds = std::max(8.0, kMiniBatches / experiment.workers);
  Probe probe(point, device, profile, static_cast<std::int64_t>(rounds));
  const double now = probe.with({}).throughput;
  const auto add_change = [&](const std::string& name, const Probe::Variant& variant) {
    double gain = now > 0 ? probe.with(variant).throughput / now - 1 : 0;
    if (std::fabs(gain) < kNone) gain = 0;
    all.push_back({name, gain});
  };
  const Prediction setting = prediction_of(point, device, profile);
  const bool exchanges = experiment.aggregation->exchanges() && setting.plan.programs() > 1;
  if (exchanges) {
    for (const NamedVariant& link : faster_links(setting)) add_change(link.name, link.variant);
  }
  if (experiment.stragglers.random() || !experiment.stragglers.workers.empty()) {
    Probe::Variant punctual;
    punctual.experiment = [](Experiment& changed) { changed.stragglers = {}; };
    add_change("no stragglers", punctual);
  }
  if (experiment.lengths && experiment.lengths->buckets > 1 && experiment.workers > 1 &&
      !experiment.lengths->same_bucket) {
    Probe::Variant together;
    together.experiment = [](Experiment& changed) { changed.lengths->same_bucket = true; };
    add_change("one bucket for all workers", together);
  }
  if (experiment.input->loading()) {
    Probe::Variant loaded;
    loaded.experiment = [](Experiment& changed) {
      changed.input = Choice<InputSource>("synthetic");
    };
    add_change("no waiting for input", loaded);
  }
  if (exchanges) {
    const bool overlaps = experiment.aggregation->overlap();
    const char* value = overlaps ? "false" : "true";
    if (const auto other = with_key(experiment.aggregation, "overlap", value)) {
      Probe::Variant variant;
      variant.experiment = [&other](Experiment& changed) { changed.aggregation = other; };
      add_change(overlaps ? "no overlap with backward" : "overlap with backward", variant);
    }
  }
  Probe::Variant free;
  free.setting = [](Prediction& changed) {
    Costs& costs = changed.costs;
    costs.worker_update = costs.server_update = costs.worker_reduce = costs.server_reduce = 0;
  };
  add_change("free sums and updates", free);
  return all;
}

}  // namespace paceline
