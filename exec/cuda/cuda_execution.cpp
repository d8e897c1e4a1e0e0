// SPDX-License-Identifier: MIT
#include "exec/cuda/cuda_execution.hpp"

#include <set>
#include <system_error>

#include "exec/cuda/machine/cuda_arrays.hpp"
#include "exec/cuda/machine/cuda_machine.hpp"
#include "exec/cuda/network/batch_feeder.hpp"
#include "exec/cuda/network/resident_batches.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "training/learning/host_arrays.hpp"
#include "training/random/draw.hpp"

namespace paceline::cuda {
namespace {

/// Every GPU reaches the others' memory where the links allow it; else copies are staged by the
/// driver.
void enable_peer_access(const std::vector<int>& devices) {
  std::set<int> used(devices.begin(), devices.end());
  used.erase(kOnHost);
  for (const int from : used) {
    check(cudaSetDevice(from), "choosing a device");
    for (const int to : used) {
      int reachable = 0;
      if (from != to) check(cudaDeviceCanAccessPeer(&reachable, from, to), "asking for peers");
      if (reachable == 0) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
      } else {
        check(status, "reaching a peer");
      }
    }
  }
}

/// Who does the arithmetic of buffers, by lane.
std::vector<std::unique_ptr<ArrayWork>> work_on(const RoleStreams& streams) {
  std::vector<std::unique_ptr<ArrayWork>> work;
  for (std::size_t role = 0; role < streams.devices().size(); ++role) {
    const int device = streams.devices()[role];
    if (device != kOnHost) check(cudaSetDevice(device), "choosing a device");
    for (int kind = 0; kind < kStreamKinds; ++kind) {
      const Stream stream{static_cast<RoleId>(role), static_cast<StreamKind>(kind)};
      if (device == kOnHost) {
        work.push_back(std::make_unique<HostArrayWork>());
      } else {
        work.push_back(std::make_unique<StreamArrayWork>(streams.of(stream)));
      }
    }
  }
  return work;
}

}  // namespace

std::vector<int> devices_of(const ExperimentPoint& point, const Plan& plan) {
  const Experiment& experiment = point.experiment;
  const auto gpu = [&](int worker) {
    return experiment.devices ? experiment.devices->gpu : worker;
  };
  std::vector<int> devices;
  for (int worker = 0; worker < plan.workers; ++worker) devices.push_back(gpu(worker));
  for (int shard = 0; shard < plan.shards; ++shard) {
    switch (experiment.aggregation->placement()) {
      case Placement::cpu:
      case Placement::hosts:
        devices.push_back(kOnHost);
        break;
      case Placement::gpu:
        devices.push_back(gpu(0));
        break;
      case Placement::sharded_gpus:
        devices.push_back(gpu(shard));
        break;
    }
  }
  return devices;
}

CudaExecution::CudaExecution(const Setting& setting, const std::filesystem::path& cache,
                             Seconds nccl_patience)
    : setting_(setting),
      trainer_(setting, 0),
      devices_(devices_of(*setting.point, setting.plan)),
      cache_(cache),
      nccl_patience_(nccl_patience) {
  enable_peer_access(devices_);
}

std::unique_ptr<GpuWorker> CudaExecution::make_worker(RoleId worker, std::uint64_t seed,
                                                      const RoleStreams& streams,
                                                      Buffers& buffers) {
  const Network& network = *setting_.point->network;
  const Experiment& experiment = setting_.point->experiment;
  check(cudaSetDevice(streams.device(worker)), "choosing a device");
  cudaStream_t compute = streams.of({worker, StreamKind::compute});
  const BatchSetting batches{&trainer_.dataset(), &network, experiment.batch, worker, seed};
  std::unique_ptr<BatchSource> source;
  if (experiment.train) {
    source = std::make_unique<BatchFeeder>(batches, compute);
  } else {
    source = std::make_unique<ResidentBatches>(batches, compute);
  }
  const NetworkSetting setting{&network, experiment.batch, experiment.precision, experiment.layout};
  auto passes = std::make_unique<CudaNetwork>(setting, buffers.weights(worker).data(),
                                              buffers.gradient(worker).data(), compute, cache_);
  return std::make_unique<GpuWorker>(
      std::move(passes), std::move(source),
      std::array{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

Executed CudaExecution::run(std::uint32_t repeat, Recorder& recorder) {
  const Experiment& experiment = setting_.point->experiment;
  const Plan plan = setting_.plan_of(repeat, &recorder);
  const std::uint64_t seed = seed_of_repeat(experiment.seed, repeat);
  const RoleStreams streams(devices_);
  CudaArrayStore store(devices_);
  Buffers buffers = trainer_.buffers(plan, repeat, store);
  const std::vector<std::unique_ptr<ArrayWork>> work = work_on(streams);
  std::vector<std::unique_ptr<GpuWorker>> workers;
  Site site;
  site.streams = &streams;
  site.buffers = &buffers;
  for (const auto& lane : work) site.work.push_back(lane.get());
  for (RoleId worker = 0; worker < plan.workers; ++worker) {
    workers.push_back(make_worker(worker, seed, streams, buffers));
    site.passes.push_back(workers.back().get());
    site.slowdown.push_back(experiment.stragglers.slowdown(worker));
  }
  try {
    cache_.save();  // now: a run may be killed
  } catch (const std::system_error&) {
    // what was timed is timed again
  }
  std::unique_ptr<NcclGroup> nccl;
  const AllReduce* all_reduce = experiment.aggregation->all_reduce();
  if (all_reduce != nullptr && all_reduce->native() && plan.workers > 1) {
    nccl = std::make_unique<NcclGroup>(devices_, nccl_patience_);
    site.nccl = nccl.get();
  }

  Executed executed;
  executed.curve = trainer_.watch(buffers, repeat, recorder, executed.status, [&] {
    WallTime time;
    CudaMachine machine(plan, site, time);
    for (RoleId role = 0; role < plan.roles(); ++role) {
      machine.start_role(role, experiment.aggregation->program(plan, machine, role));
    }
    machine.run();
  });
  executed.weights = buffers.model();
  return executed;
}

}  // namespace paceline::cuda
