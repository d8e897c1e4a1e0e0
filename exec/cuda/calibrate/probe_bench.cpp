// SPDX-License-Identifier: MIT
#include "exec/cuda/calibrate/probe_bench.hpp"

#include "exec/calibrate/probe.hpp"
#include "exec/cuda/machine/peers.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

std::vector<int> with_host(std::vector<int> gpus) {
  enable_peer_access(gpus);
  gpus.push_back(kOnHost);
  return gpus;
}

}  // namespace

/// The server only stores copies.
Plan ProbeBench::plan_of(int workers, std::int64_t parameters, Observer* observer) {
  const Slice whole{0, parameters, kBytesPerParameter * static_cast<double>(parameters)};
  Plan plan;
  plan.workers = workers;
  plan.shards = 1;
  plan.cut.buckets.push_back({0, 1, whole});
  plan.cut.shards.push_back(whole);
  plan.observer = observer;
  return plan;
}

ProbeBench::ProbeBench(std::vector<int> gpus, std::int64_t parameters, Observer* observer)
    : devices_(with_host(std::move(gpus))),
      plan_(plan_of(static_cast<int>(devices_.size()) - 1, parameters, observer)),
      streams_(devices_),
      store_(devices_),
      buffers_(probe_buffers(plan_), {optimizer_.part().get(), 1, 1, 1, {}},
               std::vector<float>(static_cast<std::size_t>(parameters), 1.0F), 0, store_),
      work_(streams_) {
  site_.streams = &streams_;
  site_.buffers = &buffers_;
  site_.passes.assign(static_cast<std::size_t>(plan_.workers), nullptr);
  site_.work = &work_;
}

void ProbeBench::run(const std::function<std::vector<Task<>>(Backend&)>& programs) {
  WallTime time;
  CudaMachine machine(plan_, site_, time);
  RoleId role = 0;
  for (Task<>& program : programs(machine)) machine.start_role(role++, std::move(program));
  while (role < plan_.roles()) machine.start_role(role++, idle_role());
  machine.run();
}

}  // namespace paceline::cuda
