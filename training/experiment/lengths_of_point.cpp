// SPDX-License-Identifier: MIT
#include "training/experiment/lengths_of_point.hpp"

#include "models/sequence_length.hpp"

namespace paceline {
namespace {

LengthScope scope_of(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  LengthScope scope;
  scope.batch = experiment.batch;
  scope.positions = point.network->input.height;
  scope.least = least_length(*point.network);
  scope.workers = experiment.workers;
  if (experiment.samples_per_epoch) {
    scope.samples_per_epoch = static_cast<double>(*experiment.samples_per_epoch);
  }
  return scope;
}

std::string unfit_order(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  if (experiment.lengths->order != LengthOrder::sorted) return "";
  if (!experiment.samples_per_epoch) return "'order: sorted' needs 'samples_per_epoch'";
  const BatchLengths lengths(*experiment.lengths, scope_of(point));
  if (lengths.steps_per_epoch() > 0) return "";
  return "an epoch of " + std::to_string(*experiment.samples_per_epoch) +
         " items is less than a mini-batch of each worker (samples_per_epoch)";
}

}  // namespace

std::string unfit_lengths(const ExperimentPoint& point) {
  const Lengths& lengths = *point.experiment.lengths;
  const Network& network = *point.network;
  const std::string why = why_of_one_length(network);
  if (!why.empty()) return "'" + network.name + "' has no lengths: " + why;
  const int positions = network.input.height;
  if (const auto longest = lengths.distribution->longest(); longest && *longest > positions) {
    return "sequences of " + std::to_string(*longest) + " positions are longer than those of '" +
           network.name + "' (" + std::to_string(positions) + ")";
  }
  if (lengths.buckets > positions) {
    return std::to_string(lengths.buckets) + " buckets are more than '" + network.name + "' has " +
           "positions (" + std::to_string(positions) + ")";
  }
  return unfit_order(point);
}

std::shared_ptr<const BatchLengths> batch_lengths_of(const ExperimentPoint& point) {
  if (!point.experiment.lengths) return nullptr;
  return std::make_shared<const BatchLengths>(*point.experiment.lengths, scope_of(point));
}

Bytes arrays_of_shapes(const ExperimentPoint& point) {
  const auto lengths = batch_lengths_of(point);
  if (lengths == nullptr) return {};
  // each output and its gradient; an LSTM has its gates and cells besides, attention its shares
  constexpr double kArrays = 2, kOfLstm = 8;
  double floats = 0;
  for (const BatchShape& shape : lengths->shapes()) {
    for (const Layer& layer : at_length(*point.network, shape.length).layers) {
      const auto outputs = static_cast<double>(layer.out.elements());
      double item = outputs * (layer.kind == LayerKind::lstm ? kOfLstm : kArrays);
      if (layer.kind == LayerKind::attention) item += static_cast<double>(layer.attention_shares());
      floats += shape.items * item;
    }
  }
  return Bytes{4 * floats};
}

double items_of_mini_batch(const ExperimentPoint& point) {
  const bool uneven = point.experiment.lengths && point.network && unfit_lengths(point).empty();
  return uneven ? batch_lengths_of(point)->mean_items() : point.experiment.batch;
}

}  // namespace paceline
