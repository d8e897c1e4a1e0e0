// SPDX-License-Identifier: MIT
#include "cli/servers_beside_worker.hpp"

#include "cli/probe.hpp"
#include "sim/simulate.hpp"

namespace paceline {
namespace {

/// The throughput of the point's worker with its servers beside it; nothing if they are there.
std::optional<double> beside_servers(const ExperimentPoint& point, Device device,
                                     const Profile* profile) {
  Prediction setting = matched_to_published(prediction_of(point, device, profile));
  if (!gather_at_first_worker(setting)) return std::nullopt;
  const ExperimentPoint timed = can_probe(point) ? without_training(point) : point;
  setting.point = &timed;
  return simulate(setting).throughput;
}

}  // namespace

void set_bases(std::vector<ResultRow>& rows, Device device, const Profile* profile) {
  for (ResultRow& row : rows) {
    const ExperimentPoint& point = *row.point;
    const bool base = row.source == Source::predicted && row.usable() &&
                      point.experiment.workers == 1 && point.beside.empty();
    const bool several = point.machine && point.machine->computers() > 1;
    if (base && several) row.beside_servers = beside_servers(point, device, profile);
  }
}

}  // namespace paceline
