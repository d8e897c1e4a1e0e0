// SPDX-License-Identifier: MIT
#include "training/experiment/length_checks.hpp"

#include "training/experiment/lengths_of_point.hpp"

namespace paceline {
namespace {

/// "" or the part of the experiment that has mini-batches of one size only.
std::string unfit_part(const Experiment& experiment) {
  const Aggregation& aggregation = *experiment.aggregation;
  if (experiment.input->loading().brings()) {
    return "input '" + experiment.input.kind() +
           "' loads batches of one size (use synthetic), and 'lengths' makes them differ";
  }
  if (experiment.validation) {
    return "'validation' passes are over sequences of one length (leave it out), and 'lengths' "
           "makes them differ";
  }
  if (aggregation.scatters()) {
    return "aggregation '" + experiment.aggregation.kind() +
           "' scatters batches of one size, and 'lengths' makes them differ";
  }
  if (aggregation.sparse()) {
    return "'sparse' sends as many rows for each mini-batch (leave it out), and 'lengths' makes "
           "them differ";
  }
  if (experiment.lengths->pad_to == 0 && experiment.train) {
    return "'train' learns from padded mini-batches (use pad_to: 1 or more, or leave it out), and "
           "'pad_to: 0' pads none";
  }
  if (experiment.devices && experiment.devices->split == Split::green) {
    return "'devices' with split green knows the memory traffic of one length (use streams), and "
           "'lengths' makes them differ";
  }
  return "";
}

}  // namespace

void check_lengths(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const auto& train = point.experiment.train;
  if (train && train->dataset && train->dataset->follows_length() && !point.experiment.lengths) {
    diagnostics.error(point.place("train"), "'by_length' needs 'lengths': all sequences have one");
  }
  if (!point.experiment.lengths || !point.network || point.experiment.workload) return;
  std::string why = unfit_lengths(point);
  if (why.empty()) why = unfit_part(point.experiment);
  if (!why.empty()) diagnostics.error(point.place("lengths"), why);
}

}  // namespace paceline
