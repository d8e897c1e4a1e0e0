// SPDX-License-Identifier: MIT
#include "training/experiment/profiled_workload.hpp"

#include "training/learning/datasets/dataset.hpp"
#include "training/workload/placement.hpp"

namespace paceline {

Choice<Dataset> dataset_of(const Experiment& experiment, const Network& network) {
  return experiment.train ? experiment.train->dataset : Choice<Dataset>{default_dataset(network)};
}

Workload workload_of(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  Workload workload;
  workload.network = point.network->name;
  workload.parameters = point.network->parameters();
  workload.layers = point.network->layers.size();
  workload.batch = experiment.batch;
  workload.optimizer = experiment.optimizer.kind();
  workload.dataset = dataset_of(experiment, *point.network).kind();
  workload.lengths = experiment.lengths.has_value();
  return workload;
}

Workload workload_on_gpu(const ExperimentPoint& point, const std::string& gpu) {
  const Experiment& experiment = point.experiment;
  Workload workload = workload_of(point);
  workload.lengths = false;                         // a GPU's network is measured at its own length
  if (!experiment.train) workload.dataset.clear();  // the same items every time, already in memory
  workload.precision = experiment.precision;
  workload.layout = experiment.layout;
  workload.gpu = gpu;
  const auto& devices = experiment.devices;
  if (devices && devices->split == Split::green) workload.virtual_gpus = devices->virtual_gpus;
  return workload;
}

const NetworkProfile* times_on_gpu(const ExperimentPoint& point, const Profile& profile) {
  const auto gpu = static_cast<std::size_t>(gpu_of(point.experiment.devices, 0));
  if (gpu >= profile.gpus.size()) return nullptr;
  return profile.find(workload_on_gpu(point, profile.gpus[gpu].name));
}

const NetworkProfile* times_of(const ExperimentPoint& point, const Profile& profile) {
  return profile.find(workload_of(point));
}

std::optional<ExperimentPoint> validation_of(const ExperimentPoint& point) {
  const auto& validation = point.experiment.validation;
  if (!validation) return std::nullopt;
  ExperimentPoint passes = point;
  passes.experiment.batch = validation->batch_or(point.experiment.batch);
  passes.experiment.validation.reset();
  return passes;
}

bool lacks_host_times(const ExperimentPoint& point, const Profile& profile) {
  if (point.network->classes == 0) return false;
  const std::optional<ExperimentPoint> validation = validation_of(point);
  return times_of(point, profile) == nullptr ||
         (validation && times_of(*validation, profile) == nullptr);
}

}  // namespace paceline
