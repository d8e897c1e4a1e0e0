// SPDX-License-Identifier: MIT
#include "sim/costs/costs_on_gpus.hpp"

#include <algorithm>

#include "sim/costs/calibrating_row.hpp"
#include "sim/costs/card_division.hpp"
#include "sim/costs/exchange_cost.hpp"
#include "sim/costs/gpu_layer_times.hpp"
#include "sim/costs/length_costs.hpp"
#include "sim/costs/measured_sharing.hpp"
#include "sim/costs/update_cost.hpp"
#include "training/experiment/described_gpus.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

/// The costs of operations on a GPU of this computer, without the work itself.
void cost_of_operations(Costs& costs, const GpuProfile& gpu) {
  costs.operation_start = gpu.operation_latency;
  costs.decision = gpu.decision_latency;
  costs.handling = gpu.operation_handling;
  costs.timer_error = gpu.timer_error;
  costs.card_copy_bandwidth = gpu.copy_bandwidth;
  costs.dispatch = {};  // per range of layers, and included in the cost of an operation
}

void cost_of_software(Costs& costs, const Software& software, const Host& host) {
  costs.decision =
      software.decision_latency > Seconds{} ? software.decision_latency : host.decision_latency;
  costs.dispatch = software.dispatch > Seconds{} ? software.dispatch : host.dispatch;
  costs.dispatchers = software.dispatchers;
  costs.timer_error = host.timer_error;
  costs.collective = software.collective;
  costs.variation = software.step_variation.fraction;
}

/// Of a stack that starts each kernel by itself.
void cost_of_dispatches(Costs& costs, const ExperimentPoint& point) {
  const KernelCost& kernels = point.software->kernels;
  if (kernels.dispatch <= Seconds{}) return;
  costs.dispatch = kernels.dispatch;
  const StepOnGpu step = step_on_gpu(point);
  for (std::size_t i = 0; i < point.network->layers.size(); ++i) {
    const LayerKernels of_layer = layer_kernels(*point.network, i, step);
    costs.forward_kernels.push_back(launches(of_layer.forward));
    costs.backward_kernels.push_back(launches(of_layer.input_gradient) +
                                     launches(of_layer.weight_gradient));
  }
}

void cost_of_loops(Costs& costs, const Network& network) {
  const auto operations = [](const Layer& layer) { return layer.loop_operations; };
  if (std::ranges::all_of(network.layers, [&](const Layer& one) { return operations(one) == 0; }))
    return;
  costs.loop_operations.resize(network.layers.size());
  std::ranges::transform(network.layers, costs.loop_operations.begin(), operations);
}

void cost_of_loaders(Costs& costs, const Loading& loading, const Host& host) {
  const BytesPerSecond copy =
      host.copy_bandwidth > BytesPerSecond{} ? host.copy_bandwidth : host.memory_bandwidth;
  if (copy > BytesPerSecond{}) costs.loader_copy = 1 / copy.value();
  costs.cores_of_loaders = host.cores;
  if (loading.pageable) costs.pageable = host.pageable_bandwidth.value();
}

void cost_of_library(Prediction& prediction, int gpu) {
  const ExperimentPoint& point = *prediction.point;
  // nccl-tests queue their calls ahead, so that no answer of the host is waited for
  if (point.experiment.workload) prediction.costs.decision = {};
  const AllReduce* all_reduce = point.experiment.aggregation->all_reduce();
  if (all_reduce == nullptr || !all_reduce->native()) return;
  if (point.software->collective.model != LibraryKind::nccl) return;
  prediction.costs.nccl = nccl_costs(*prediction.machine, gpu);
  prediction.costs.forced = all_reduce->forced();
  // nccl-tests on a cluster have a process for each GPU
  const bool described = prediction.machine->kind() == Machine::Kind::described;
  if (point.experiment.workload && described && point.tree.find("software") == nullptr)
    prediction.costs.dispatchers = Dispatchers::gpu;
}

/// The number of servers on the host's CPUs that can run at once at the speed of a single one.
/// Memory and cores are the bounds.
double servers_at_once(const Host& host, BytesPerSecond one_server) {
  const double by_memory = std::max(1.0, host.memory_bandwidth / one_server);
  return host.cores > 0 ? std::min<double>(by_memory, host.cores) : by_memory;
}

/// Where servers are on different devices, or several on CPUs: what each takes longer than one of
/// the aggregation's own placement, and how many have a computer's memory at once.
void cost_of_server_places(Prediction& prediction, bool on_cpu, BytesPerSecond host_memory,
                           BytesPerSecond gpu_memory) {
  Costs& costs = prediction.costs;
  const Plan& plan = prediction.plan;
  int on_cpus = on_cpu && plan.sites.empty() ? plan.shards : 0;
  for (const ServerSite& site : plan.sites) {
    const bool here =
        site.placement == ServerPlacement::cpu || site.placement == ServerPlacement::hosts;
    on_cpus += here ? 1 : 0;
    costs.server_slowdown.push_back((on_cpu ? host_memory : gpu_memory) /
                                    (here ? host_memory : gpu_memory));
  }
  if (on_cpus < 2) return;
  const double slowdown = on_cpu ? 1 : gpu_memory / host_memory;
  const double passes = sum_passes(*prediction.point->software, plan);
  const BytesPerSecond one_server{passes / (costs.server_reduce * slowdown)};
  costs.servers_at_once = servers_at_once(prediction.machine->host_of(0), one_server);
}

}  // namespace

void cost_on_gpus(Prediction& prediction, const Profile* profile) {
  const ExperimentPoint& point = *prediction.point;
  const Machine& machine = *prediction.machine;
  const Software& software = *point.software;
  Costs& costs = prediction.costs;
  const auto& devices = point.experiment.devices;
  const int card = gpu_of(devices, 0, worker_gpus(point));
  costs.shared_card = prediction.shared_card;
  const NetworkProfile* measured = profile == nullptr ? nullptr : times_on_gpu(point, *profile);
  const CardDivision division = divide_card(point.experiment, machine.gpu(card));
  const GpuSpec& gpu = division.worker;
  costs.groups = division.shares;
  // If the driver could not split the card during calibration, it cannot split it now.
  if (measured != nullptr && measured->sms >= machine.gpu(card).sms) costs.groups.reset();
  for (const LayerTime& time : times_of_layers(prediction, gpu, measured, profile)) {
    costs.forward.push_back(time.forward);
    costs.backward.push_back(time.backward);
  }
  cost_of_lengths(prediction, gpu);
  cost_of_exchange(prediction, gpu);
  costs.validation = validation_times(prediction, gpu, profile);
  if (costs.groups) count_traffic(costs, point.experiment, *point.network);
  if (machine.kind() == Machine::Kind::ideal) {  // its library takes no time either
    costs.collective.launch = costs.collective.step_latency = {};
    return;
  }
  const BytesPerSecond worker_memory =
      costs.groups ? costs.groups->worker_memory : gpu.memory_bandwidth;
  const BytesPerSecond server_memory =
      costs.groups ? costs.groups->server_memory : gpu.memory_bandwidth;
  const BytesPerSecond host_memory = software.server_bandwidth > BytesPerSecond{}
                                         ? software.server_bandwidth
                                         : machine.host_of(0).memory_bandwidth;
  const ServerPlacement placement = point.experiment.aggregation->placement();
  const bool on_cpu = placement == ServerPlacement::cpu || placement == ServerPlacement::hosts;
  cost_of_updates(costs, point, prediction.plan, worker_memory,
                  on_cpu ? host_memory : server_memory);
  cost_of_update_kernels(costs, point, prediction.plan);
  if (worker_memory > BytesPerSecond{}) costs.slice_copy = 2 / worker_memory.value();
  cost_of_software(costs, software, machine.host());
  cost_of_dispatches(costs, point);
  cost_of_loops(costs, *point.network);
  cost_of_loaders(costs, prediction.plan.input, machine.host_of(0));
  cost_of_library(prediction, card);
  costs.one_copy_engine = gpu.copy_engines == 1;
  costs.card_copy_bandwidth = worker_memory / 2;  // a byte is read and written
  if (devices) costs.card_copy_engines = gpu.copy_engines;
  if (measured != nullptr) cost_updates_as_measured(costs, point, *measured);
  cost_of_server_places(prediction, on_cpu, host_memory, server_memory);
  const auto here = static_cast<std::size_t>(card);
  if (profile != nullptr && here < profile->gpus.size()) {
    cost_of_operations(costs, profile->gpus[here]);
  }
  if (measured != nullptr && devices) take_turns_as_measured(costs, *measured);
  if (measured != nullptr && costs.groups) {
    const auto bytes = static_cast<double>(point.network->parameters()) * kBytesPerParameter;
    if (measured->copy > Seconds{}) costs.card_copy_bandwidth = Bytes{bytes} / measured->copy;
  }
}

}  // namespace paceline
