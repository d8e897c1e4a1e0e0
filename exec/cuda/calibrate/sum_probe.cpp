// SPDX-License-Identifier: MIT
#include "exec/cuda/calibrate/sum_probe.hpp"

#include <algorithm>

#include "exec/calibrate/timing.hpp"
#include "exec/cuda/calibrate/event_timer.hpp"
#include "exec/cuda/calibrate/head_start.hpp"
#include "exec/cuda/cuda_execution.hpp"
#include "training/profile/transfer_fit.hpp"

namespace paceline::cuda {
namespace {

constexpr double kBytesPerFloat = 4;
constexpr int kLeastRounds = 5;
constexpr std::int64_t kHeadStartNs = 1'000'000;  ///< of the host, to queue a sum on all devices

Bytes free_on_each(int gpus) {
  Bytes least{1e18};
  for (int gpu = 0; gpu < gpus; ++gpu) {
    check(cudaSetDevice(gpu), "choosing a device");
    std::size_t free = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&free, &all), "querying memory");
    least = std::min(least, Bytes{static_cast<double>(free)});
  }
  return least;
}

/// NCCL's part of the host takes longer than a short sum, so that the streams wait for it. Makes
/// GPU 0 current. `streams`: by GPU.
void queue_head_start(const HeadStart& head_start, const std::vector<DeviceStream>& streams) {
  for (std::size_t gpu = streams.size(); gpu-- > 0;) {
    check(cudaSetDevice(static_cast<int>(gpu)), "choosing a device");
    head_start.queue(kHeadStartNs, streams[gpu].get());
  }
}

}  // namespace

CollectiveProfile measure_sums(int gpus, Effort effort) {
  const std::vector<Bytes> sizes = probed_sizes(effort, free_on_each(gpus) / 4);
  const Seconds budget{effort == Effort::quick ? 0.05 : 0.3};  // for each size
  std::vector<int> devices;
  std::vector<DeviceMemory> data;
  std::vector<DeviceStream> streams;
  std::vector<NcclGroup::Part> parts;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    check(cudaSetDevice(gpu), "choosing a device");
    devices.push_back(gpu);
    data.emplace_back(static_cast<std::size_t>(sizes.back().value()));
    check(cudaMemset(data.back().data(), 0, data.back().bytes()), "clearing an array");
    streams.emplace_back();
    parts.push_back({data.back().as<float>(), streams.back().get()});
  }
  NcclGroup group(devices, CudaExecution::kPatience);
  check(cudaSetDevice(0), "choosing a device");
  EventTimer timer;
  const auto wait_for_all = [&] {
    for (const DeviceStream& stream : streams) {
      check(cudaStreamSynchronize(stream.get()), "summing");
    }
  };
  const HeadStart head_start;
  std::vector<TimedTransfer> times;
  for (const Bytes size : sizes) {
    const auto count = static_cast<std::size_t>(size.value() / kBytesPerFloat);
    std::vector<double> seconds;
    const Stopwatch watch;
    for (int round = 0; round <= kLeastRounds || watch.elapsed() < budget; ++round) {
      queue_head_start(head_start, streams);
      timer.mark(streams.front().get());
      group.run(Operation::all_reduce, parts, count);
      check(cudaSetDevice(0), "choosing a device");
      timer.mark(streams.front().get());
      wait_for_all();
      const double duration = timer.take().front().value();
      if (round > 0) seconds.push_back(duration);  // the first round opens connections
    }
    times.push_back({size, Seconds{std::max(1e-9, quantile_of(seconds, 0.5))}});
  }
  const TransferFit fit = fit_transfers(times);
  CollectiveProfile profile;
  profile.gpus = gpus;
  profile.latency = fit.latency;
  profile.bandwidth = fit.bandwidth;
  profile.rms = fit.rms;
  profile.worst = fit.worst;
  for (const TimedTransfer& one : times) {
    profile.sizes.push_back(one.size);
    profile.times.push_back(one.time);
  }
  return profile;
}

}  // namespace paceline::cuda
