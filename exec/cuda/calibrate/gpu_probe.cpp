// SPDX-License-Identifier: MIT
#include "exec/cuda/calibrate/gpu_probe.hpp"

#include <algorithm>

#include <time.h>

#include "exec/calibrate/probe.hpp"
#include "exec/calibrate/timing.hpp"
#include "exec/cuda/calibrate/event_timer.hpp"
#include "exec/cuda/calibrate/head_start.hpp"
#include "exec/cuda/calibrate/probe_bench.hpp"
#include "exec/cuda/clocks/clock_watch.hpp"
#include "exec/cuda/kernels/delay.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "topology/gpu.hpp"

namespace paceline::cuda {
namespace {

// Kernels launched in a row: fewer than a stream's queue holds, so that no launch blocks.
constexpr int kLaunches = 200;
constexpr std::int64_t kHeadStartNs = 3'000'000;  // enough time for the host to launch all of them

Seconds median(const std::vector<double>& seconds) {
  return Seconds{std::max(0.0, quantile_of(seconds, 0.5))};
}

double thread_seconds() {
  timespec cpu_time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu_time);
  return static_cast<double>(cpu_time.tv_sec) + 1e-9 * static_cast<double>(cpu_time.tv_nsec);
}

void measure_launches(GpuProfile& gpu, int rounds) {
  const DeviceStream stream;
  const HeadStart head_start;
  const DeviceMemory at(sizeof(std::uint64_t));
  std::vector<double> on_host;
  std::vector<double> on_device;
  EventTimer timer;
  for (int round = 0; round <= rounds; ++round) {
    // keeps the device busy until all launches are queued, so that only device time is measured
    head_start.queue(kHeadStartNs, stream.get());
    timer.mark(stream.get());
    const Stopwatch watch;
    for (int i = 0; i < kLaunches; ++i) note_time(at.as<std::uint64_t>(), stream.get());
    const double host_seconds = watch.elapsed().value();
    timer.mark(stream.get());
    check(cudaStreamSynchronize(stream.get()), "launching kernels");
    const double device_seconds = timer.take().front().value();
    if (round == 0) continue;  // the first round loads the kernels
    on_host.push_back(host_seconds / kLaunches);
    on_device.push_back(device_seconds / kLaunches);
  }
  gpu.launch = median(on_host);
  gpu.kernel = median(on_device);
}

BytesPerSecond copy_bandwidth(Bytes free, int rounds) {
  constexpr Bytes kBlock{256.0 * 1048576};
  const Bytes size = std::min(kBlock, free / 4);
  const auto bytes = static_cast<std::size_t>(size.value());
  const DeviceStream stream;
  const DeviceMemory from(bytes);
  const DeviceMemory to(bytes);
  EventTimer timer;
  for (int round = 0; round <= rounds + 1; ++round) {
    timer.mark(stream.get());
    if (round > rounds) break;
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDefault, stream.get()),
          "copying within the GPU");
  }
  check(cudaStreamSynchronize(stream.get()), "copying within the GPU");
  std::vector<double> seconds;
  for (const Seconds one : timer.take()) seconds.push_back(one.value());
  seconds.erase(seconds.begin());
  return size / median(seconds);
}

/// Measures the latencies of the queues that strategies use.
void probe_queues(GpuProfile& gpu, int number, int rounds) {
  ProbeObserver observer;
  ProbeBench bench({number}, 1, &observer);
  ProbeResult result;
  bench.run([&](Backend& backend) {
    std::vector<Task<>> programs;
    programs.push_back(probe_role(backend, observer, Seconds{1e-3}, rounds, result));
    return programs;
  });
  gpu.operation_latency = median(result.start);
  gpu.decision_latency = median(result.decision);
  gpu.timer_error = median(result.late);
}

/// CPU time per operation of the thread that runs all roles.
Seconds probe_handling(int number) {
  constexpr int kWorkers = 4;
  constexpr int kRounds = 100;
  constexpr int kOperations = 3;  // per worker and round
  ProbeBench bench(std::vector<int>(kWorkers, number), 1, nullptr);
  const double before = thread_seconds();
  bench.run([&](Backend& backend) {
    std::vector<Task<>> programs;
    for (RoleId worker = 0; worker < kWorkers; ++worker) {
      programs.push_back(crowd_role(backend, worker, bench.server(), kRounds));
    }
    return programs;
  });
  return Seconds{(thread_seconds() - before) / (kWorkers * kRounds * kOperations)};
}

/// The preset of this GPU model, or "".
std::string preset_of(const std::string& driver_name) {
  for (const EmbeddedFile& file : embedded_gpus()) {
    if (same_gpu(load_gpu(Tree::scalar(std::string(file.name))), driver_name)) {
      return std::string(file.name);
    }
  }
  return "";
}

int attribute(cudaDeviceAttr name, int number) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, name, number) != cudaSuccess) {
    cudaGetLastError();  // unknown attributes are left out
    return 0;
  }
  return value;
}

/// Peak bandwidth of the memory bus, which transfers data on both clock edges.
std::optional<BytesPerSecond> bus_bandwidth(int number) {
  const double kilohertz = attribute(cudaDevAttrMemoryClockRate, number);
  const double bits = attribute(cudaDevAttrGlobalMemoryBusWidth, number);
  if (kilohertz <= 0 || bits <= 0) return std::nullopt;
  return BytesPerSecond{2 * kilohertz * 1e3 * bits / 8};
}

}  // namespace

GpuProfile measure_gpu(int number, const GpuFacts& facts, Effort effort) {
  const int rounds = effort == Effort::quick ? 5 : 20;
  check(cudaSetDevice(number), "choosing a device");
  GpuProfile gpu;
  gpu.name = facts.name;
  gpu.preset = preset_of(facts.name);
  gpu.bus = facts.bus;
  gpu.memory = facts.memory;
  gpu.sms = std::max(1, facts.sms);
  gpu.memory_bandwidth = bus_bandwidth(number);
  std::size_t free = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&free, &all), "querying memory");
  ClockWatch clocks(open_nvml(facts.bus));
  gpu.copy_bandwidth = copy_bandwidth(Bytes{static_cast<double>(free)}, rounds);
  measure_launches(gpu, rounds);
  probe_queues(gpu, number, 20 * rounds);
  gpu.operation_handling = probe_handling(number);
  gpu.clocks = clocks.stop_and_describe();
  return gpu;
}

}  // namespace paceline::cuda
