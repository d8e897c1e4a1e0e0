// SPDX-License-Identifier: MIT
#include "training/experiment/memory_check.hpp"

#include <cmath>

#include "training/experiment/described_gpus.hpp"
#include "training/experiment/memory_of_point.hpp"
#include "training/experiment/setting.hpp"

namespace paceline {
namespace {

std::string gigabytes(Bytes size) {
  return print_number(std::round(size.value() / 1e8) / 10) + " GB";
}

/// The bytes of the data set that the workers keep in their memory; 0 without one.
Bytes memory_of_data(const ExperimentPoint& point, Bytes need) {
  if (point.experiment.input->loading().resident == 0) return {};
  ExperimentPoint without = point;
  without.experiment.input = Choice<InputSource>("synthetic");
  return need - memory_of(without);
}

/// Whether servers take part of the memory of the workers' GPUs.
bool has_servers_on_gpus(const ExperimentPoint& point) {
  const Aggregation& aggregation = *point.experiment.aggregation;
  const ServerPlacement placement = aggregation.placement();
  return aggregation.shards(point.experiment.workers, hosts_of(point)) > 0 &&
         (placement == ServerPlacement::gpu || placement == ServerPlacement::sharded_gpus);
}

/// "the largest that fits is 172", or what leaves no room.
std::string lack_of_room(const ExperimentPoint& point, Bytes memory, Bytes data_set) {
  const bool global = point.tree.find("global_batch") != nullptr;
  const int most = largest_batch_within(point, memory) * (global ? point.experiment.workers : 1);
  if (most > 0) return "the largest that fits is " + std::to_string(most);
  if (data_set > memory) return "no batch fits beside the data set of " + gigabytes(data_set);
  return "no batch fits: an item takes " + gigabytes(memory_of_item(point)) +
         ", and what needs no item " + gigabytes(memory_without_items(point));
}

}  // namespace

void check_memory(const ExperimentPoint& point, Diagnostics& diagnostics) {
  const Experiment& experiment = point.experiment;
  if (!point.network || first_gpu(point) == nullptr) return;
  if (experiment.batch < 1) return;  // reported already
  if (point.published) return;       // a measurement is better evidence than an estimate
  const Bytes need = memory_of(point);
  const GpuSpec& gpu = smallest_gpu(point);
  if (need <= gpu.memory) return;
  const Bytes data_set = memory_of_data(point, need);
  const bool global = point.tree.find("global_batch") != nullptr;
  diagnostics.error(
      point.place(global ? "global_batch" : "batch"),
      "batch " + std::to_string(experiment.batch) + " of '" + point.network->name + "' needs " +
          gigabytes(need) + (experiment.devices ? " for all workers" : "") +
          (has_servers_on_gpus(point) ? " with the servers' buffers" : "") +
          (data_set > Bytes{} ? " with the data set" : "") + " (" + gpu.name + " has " +
          gigabytes(gpu.memory) + ": " + lack_of_room(point, gpu.memory, data_set) + ")");
}

}  // namespace paceline
