// SPDX-License-Identifier: MIT
#include "exec/calibrate/host_links.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "exec/calibrate/copy_probe.hpp"
#include "exec/calibrate/timing.hpp"
#include "exec/host/host_machine.hpp"

namespace paceline {
namespace {

// The arrays of a worker that copies to its neighbour: weights, gradient, landing.
constexpr int kArraysOfWorker = 3;

/// Workers with one bucket of `parameters` parameters and no server.
Plan ring_plan(int workers, std::int64_t parameters, Observer* observer) {
  Plan plan;
  plan.workers = workers;
  const Slice whole{0, parameters, kBytesPerParameter * static_cast<double>(parameters)};
  plan.cut.buckets.push_back({0, 1, whole});
  plan.observer = observer;
  return plan;
}

Bytes free_memory() {
  return Bytes{static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) *
               static_cast<double>(sysconf(_SC_PAGESIZE))};
}

/// Message sizes for copies between `workers` workers, limited by free memory.
std::vector<Bytes> sizes_between(int workers, Effort effort) {
  return probed_sizes(effort, free_memory() / (4.0 * kArraysOfWorker * workers));
}

/// The first `copying` workers each copy to the next worker, all at once.
LinkProfile measure(int workers, int copying, std::vector<Bytes> sizes, Effort effort) {
  CopyProbe probe;
  probe.sizes = std::move(sizes);
  probe.budget = Seconds{effort == Effort::quick ? 0.03 : 0.15};
  for (RoleId worker = 0; worker < copying; ++worker) {
    probe.copies.push_back({{worker, StreamKind::push},
                            {worker, Buffer::gradient},
                            {(worker + 1) % workers, Buffer::landing}});
  }
  CopyObserver observer;
  const auto parameters =
      static_cast<std::int64_t>(probe.sizes.back().value() / kBytesPerParameter);
  const Plan plan = ring_plan(workers, parameters, &observer);
  const Choice<Optimizer> optimizer{"sgd"};
  std::vector<std::unique_ptr<WorkerArithmetic>> none;
  const std::vector<float> initial(static_cast<std::size_t>(parameters), 1.0F);
  Learning learning(workers, probe_buffers(plan), {optimizer.part().get(), 1, 1, 1, {}}, initial, 0,
                    none);
  WallTime time;
  HostMachine machine(plan, learning, time);
  std::vector<std::vector<TimedTransfer>> times;
  machine.start_role(0, copy_role(machine, observer, probe, times));
  for (RoleId worker = 1; worker < workers; ++worker) machine.start_role(worker, idle_role());
  machine.run();

  // the mean of the concurrent copies, which all do the same work
  std::vector<TimedTransfer> joined;
  for (std::size_t i = 0; i < probe.sizes.size(); ++i) {
    Seconds sum;
    for (const auto& of_copy : times) sum += of_copy[i].time;
    joined.push_back({probe.sizes[i], sum / static_cast<double>(times.size())});
  }
  LinkProfile link;
  link.from = link.to = "thread";
  link.at_once = copying;
  set_transfers(link, joined);
  return link;
}

/// Bandwidth of memcpy on this thread, between two blocks of `size` bytes.
BytesPerSecond memcpy_rate(Bytes size) {
  const auto bytes = static_cast<std::size_t>(size.value());
  std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes, 2);
  return size / median_time(
                    Seconds{0.2}, [] {}, [&] { std::memcpy(to.data(), from.data(), bytes); });
}

}  // namespace

std::vector<LinkProfile> measure_host_links(int cores, Effort effort) {
  const std::vector<Bytes> sizes = sizes_between(2, effort);
  // measured before and after the probe, since the computer's speed may drift
  const BytesPerSecond before = memcpy_rate(sizes.back());
  std::vector<LinkProfile> links{measure(2, 1, sizes, effort)};
  links.front().driver = (before + memcpy_rate(sizes.back())) / 2.0;
  if (cores > 1) links.push_back(measure(cores, cores, sizes_between(cores, effort), effort));
  return links;
}

}  // namespace paceline
