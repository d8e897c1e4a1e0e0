// SPDX-License-Identifier: MIT
#include "exec/cuda/cuda_execution.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "exec/cuda/machine/peers.hpp"
#include "exec/cuda/network/batch_feeder.hpp"
#include "exec/cuda/network/resident_batches.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/kernel_code.hpp"
#include "exec/machine/execution_plan.hpp"
#include "models/sequence_length.hpp"
#include "training/strategies/start_roles.hpp"
#include "training/workload/random/draw.hpp"

namespace paceline::cuda {

namespace {

/// The most that CUDA_DEVICE_MAX_CONNECTIONS gives, which the plug-in sets.
constexpr int kHardwareQueues = 32;

/// Roles of other processes count as on the host, where they need nothing.
std::vector<int> devices_of(const Placement& placement, const Plan& plan,
                            const std::optional<ProcessPart>& part) {
  int first_worker = 0;
  while (part && plan.process_of(first_worker) != part->process) ++first_worker;
  std::vector<int> devices;
  for (const Place& place : placement.roles) {
    const auto role = static_cast<RoleId>(devices.size());
    const bool here = !part || plan.process_of(role) == part->process;
    const int number = part ? place.number - first_worker + part->first_gpu : place.number;
    devices.push_back(here && place.device == Place::Device::gpu ? number : kOnHost);
  }
  return devices;
}

/// One bucket, so that a pass is one graph, where gradients go nowhere.
void join_buckets(Plan& plan) {
  if (plan.workers > 1 || plan.shards > 0 || plan.encodes()) return;
  const Bucket& first = plan.cut.buckets.back();  // in the order of backward
  plan.cut.buckets = {{first.first_layer, plan.cut.buckets.front().last_layer, plan.whole()}};
}

void load_kernels_on(const std::vector<int>& devices) {
  for (const int device : std::set<int>(devices.begin(), devices.end())) {
    if (device == kOnHost) continue;
    check(cudaSetDevice(device), "choosing a device");
    load_kernels();
  }
}

/// Loaders bring mini-batches to their workers' GPUs.
std::vector<RoleId> pushes_at(const Plan& plan) {
  std::vector<RoleId> at;
  for (RoleId role = 0; role < plan.roles(); ++role) {
    at.push_back(plan.is_loader(role) ? plan.role_of_loader(role) : role);
  }
  return at;
}

}  // namespace

CudaExecution::CudaExecution(const Setting& setting, const std::filesystem::path& cache,
                             Seconds nccl_patience, std::optional<ProcessPart> part)
    : setting_(setting),
      trainer_(setting, 0, part ? std::optional(part->process) : std::nullopt),
      placement_(placement_of(*setting.point, setting.plan, DevicePool{.gpus = true})),
      devices_(devices_of(placement_, setting.plan, part)),
      card_(setting.point->experiment.devices, placement_),
      nccl_patience_(nccl_patience),
      part_(part) {
  for (RoleId worker = 0; worker < setting.plan.workers; ++worker) {
    const int device = devices_[static_cast<std::size_t>(worker)];
    if (!runs(worker)) continue;
    caches_.try_emplace(device, cache, device, card_.sms());
  }
  enable_peer_access(devices_);
  load_kernels_on(devices_);
}

BatchSetting CudaExecution::batches(RoleId worker, std::uint32_t repeat) const {
  const Experiment& experiment = setting_.point->experiment;
  BatchSetting batches{&trainer_.dataset(), setting_.point->network.get(), experiment.batch, worker,
                       seed_of_repeat(experiment.seed, repeat)};
  batches.lengths = setting_.lengths.get();
  return batches;
}

/// The stream that copies the mini-batches which the host draws for a worker: its own, if the card
/// has queues for all. Null if it draws none.
cudaStream_t CudaExecution::copies_of(RoleId worker, const Workplace& place) const {
  const bool draws = setting_.point->experiment.train || setting_.lengths != nullptr;
  if (place.items != nullptr || !draws) return nullptr;
  const int device = place.streams.device(worker);
  const auto workers = std::count(devices_.begin(), devices_.end(), device);
  const bool fit = workers * kStreamKinds < kHardwareQueues;
  return place.streams.of({worker, fit ? StreamKind::input : StreamKind::compute});
}

/// The items of a worker's mini-batches, or of its validation.
std::unique_ptr<BatchSource> CudaExecution::source_of(const BatchSetting& batches,
                                                      const Workplace& place, cudaStream_t compute,
                                                      cudaStream_t copies) const {
  if (place.items != nullptr) {
    return place.items->source(batches.worker,
                               batches.validates ? Buffer::validation_batch : Buffer::batch);
  }
  if (copies != nullptr) return std::make_unique<BatchFeeder>(batches, compute, copies);
  return std::make_unique<ResidentBatches>(batches, compute);
}

/// A network for each shape that a mini-batch may have. Made ahead, since to time its algorithms
/// overwrites gradients.
std::vector<std::unique_ptr<CudaNetwork>> CudaExecution::networks_by_shape(
    const NetworkSetting& of_all, const CudaNetwork& largest) const {
  std::vector<std::unique_ptr<CudaNetwork>> networks;
  for (const BatchShape& shape : setting_.lengths->shapes()) {
    std::unique_ptr<CudaNetwork>& made = networks.emplace_back();
    if (shape.chance <= 0) continue;
    const Network network = at_length(*of_all.network, shape.length);
    NetworkSetting setting = of_all;
    setting.network = &network;
    setting.batch = shape.items;
    made = std::make_unique<CudaNetwork>(setting, largest);
  }
  return networks;
}

std::unique_ptr<GpuWorker> CudaExecution::make_worker(RoleId worker, std::uint32_t repeat,
                                                      Workplace& place) {
  const RoleStreams& streams = place.streams;
  Buffers& buffers = place.buffers;
  const Experiment& experiment = setting_.point->experiment;
  cudaStream_t compute = streams.of({worker, StreamKind::compute});
  // made before the worker's group is entered, which that would leave
  cudaStream_t copies = copies_of(worker, place);
  const auto current = streams.enter({worker, StreamKind::compute});
  BatchSetting batches = this->batches(worker, repeat);
  const Network& network_of_point = *setting_.point->network;
  NetworkSetting setting{&network_of_point, experiment.batch, experiment.precision,
                         experiment.layout};
  setting.uneven = setting_.lengths != nullptr;
  setting.deterministic = experiment.deterministic;
  const double rate = rate_of(worker);
  auto source = source_of(batches, place, compute, copies);
  auto network = std::make_unique<CudaNetwork>(setting, buffers.weights(worker).data(),
                                               buffers.gradient(worker).data(), compute,
                                               caches_.at(streams.device(worker)));
  auto made = std::make_unique<GpuWorker>(
      GpuWorker::Part{std::move(network), std::move(source), Pieces(setting, rate)},
      std::array{static_cast<std::uint32_t>(batches.seed),
                 static_cast<std::uint32_t>(batches.seed >> 32)});
  if (setting.uneven) made->train_with(networks_by_shape(setting, made->network()), batches);
  if (!setting_.plan.validation) return made;
  batches.batch = setting.batch = setting_.plan.validation.batch;
  batches.validates = true;
  setting.trains = false;
  source = source_of(batches, place, compute, copies);
  network = std::make_unique<CudaNetwork>(setting, made->network());
  made->validate_with({std::move(network), std::move(source), Pieces(setting, rate)});
  return made;
}

std::string CudaExecution::split() const {
  std::string text = card_.description();
  if (!text.empty() && most_streams_ > kHardwareQueues) {
    text += "; " + std::to_string(most_streams_) + " streams in " +
            std::to_string(kHardwareQueues) + " hardware queues, where one may wait for another";
  }
  return text;
}

/// Of what the worker has of its card.
double CudaExecution::rate_of(RoleId worker) const {
  const int device = devices_[static_cast<std::size_t>(worker)];
  if (card_.sms() > 0) return lanes_rate(device, card_.sms());
  int sms = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "querying the SMs");
  const auto first = devices_.begin();
  const auto sharing = std::count(first, first + setting_.plan.workers, device);
  return lanes_rate(device, sms / static_cast<double>(sharing));
}

Workplace::Workplace(const std::vector<int>& devices, const SplitCard& card, const Trainer& trainer,
                     const Plan& plan, std::uint32_t repeat)
    : streams(devices, pushes_at(plan), card.green(), card.groups()),
      store(devices),
      buffers(trainer.buffers(plan, repeat, store)),
      work(streams) {
  site.streams = &streams;
  site.buffers = &buffers;
  site.work = &work;
}

std::unique_ptr<Workplace> CudaExecution::workplace(const Plan& plan, std::uint32_t repeat) {
  const Experiment& experiment = setting_.point->experiment;
  auto place = std::make_unique<Workplace>(devices_, card_, trainer_, plan, repeat);
  Site& site = place->site;
  if (plan.input && !plan.scatters) {  // of a batch for all, each worker draws its own items
    place->items = std::make_unique<PipelineItems>(
        plan, batches(0, repeat), experiment.train.has_value(), place->buffers, devices_);
    site.items = place->items.get();
  }
  for (RoleId worker = 0; worker < plan.workers && !experiment.workload; ++worker) {
    const bool here = runs(worker);
    if (here) place->workers.push_back(make_worker(worker, repeat, *place));
    site.passes.push_back(here ? place->workers.back().get() : nullptr);
  }
  try {
    for (auto& [device, cache] : caches_) cache.save();  // now, because a run may be killed
  } catch (const std::system_error&) {
    // the algorithms are timed again next time
  }
  if (needs_nccl() && !part_) {
    connect(*place, {.id = NcclGroup::new_id(), .ranks = plan.workers});
  }
  return place;
}

bool CudaExecution::needs_nccl() const {
  const AllReduce* all_reduce = setting_.point->experiment.aggregation->all_reduce();
  return all_reduce != nullptr && all_reduce->native() && setting_.plan.workers > 1;
}

void CudaExecution::connect(Workplace& place, NcclGroup::Others others) const {
  std::vector<int> ranks;
  for (RoleId worker = 0; worker < setting_.plan.workers; ++worker) {
    if (runs(worker)) ranks.push_back(devices_[static_cast<std::size_t>(worker)]);
  }
  others.forced = setting_.point->experiment.aggregation->all_reduce()->forced();
  place.nccl = std::make_unique<NcclGroup>(ranks, nccl_patience_, std::move(others));
  place.site.nccl = place.nccl.get();
}

Executed CudaExecution::run(std::uint32_t repeat, Recorder& recorder, ClockWatch* clocks) {
  const Experiment& experiment = setting_.point->experiment;
  Plan plan = plan_of_execution(setting_, repeat, &recorder);
  join_buckets(plan);
  const std::unique_ptr<Workplace> place = workplace(plan, repeat);
  Buffers& buffers = place->buffers;
  Executed executed;
  executed.curve = trainer_.watch(buffers, repeat, recorder, executed.status, [&] {
    WallTime time;
    CudaMachine machine(plan, place->site, time);
    start_roles(*experiment.aggregation, plan, machine);
    if (clocks != nullptr) clocks->pause(false);
    machine.run();
    if (clocks != nullptr) clocks->pause(true);
    most_streams_ = std::max(most_streams_, place->streams.most_on_a_card());
  });
  executed.weights = buffers.model();
  return executed;
}

}  // namespace paceline::cuda
