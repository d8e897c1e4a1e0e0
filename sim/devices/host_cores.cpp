// SPDX-License-Identifier: MIT
#include "sim/devices/host_cores.hpp"

#include "training/workload/placement.hpp"

namespace paceline {

HostCores::HostCores(const Costs& costs, const Timeline& time, FluidNetwork& network, int roles,
                     int workers)
    : costs_(costs),
      time_(time),
      network_(network),
      workers_(workers),
      wakes_(costs.cores > 0 || costs.shared_card >= 0 || costs.groups ||
             costs.operation_start > Seconds{} || costs.busy_operation_start > Seconds{}),
      last_end_ps_(static_cast<std::size_t>(roles) * kStreamKinds, -1) {
  for (int computer = 0; costs.cores > 0 && computer < costs.processes.computers(); ++computer) {
    add_computer(network, costs.programs < roles);
  }
}

/// Threads share the cores as flows share a link; one thread runs on one core at most. Cores that
/// compute together are slower, since arithmetic and copies contend for memory; loaders work in
/// their core's own caches and take its time alone.
void HostCores::add_computer(FluidNetwork& network, bool loaders) {
  const double together = costs_.cores_together > 0 ? costs_.cores_together : costs_.cores;
  const std::size_t computer = all_.size();
  all_.push_back(network.add_resource(together));
  if (loaders) core_time_.push_back(network.add_resource(costs_.cores));
  occupied_.push_back(0);
  idle_since_ps_.emplace_back(static_cast<std::size_t>(costs_.cores), 0);
  any_core_.push_back(
      network.add_route(uses_of(computer, costs_.precedence), 1 / costs_.precedence));
  if (loaders) {
    const Use use{core_time_.back(), 1.0};
    beside_.push_back(network.add_route({&use, 1}, 1.0));
  }
  for (int core = 0; core < costs_.cores; ++core) {
    std::vector<Use> uses{{network.add_resource(1, costs_.turns), 1.0}};
    for (const Use& use : uses_of(computer, 1)) uses.push_back(use);
    one_core_.push_back(network.add_route(uses, 1.0));
  }
}

std::vector<Use> HostCores::uses_of(std::size_t computer, double per_unit) const {
  std::vector<Use> uses{{all_[computer], per_unit}};
  if (!core_time_.empty()) uses.push_back({core_time_[computer], per_unit});
  return uses;
}

void HostCores::add_uses(RoleId role, double per_unit, std::vector<Use>& uses) const {
  if (!shared()) return;
  for (const Use& use : uses_of(computer_of(role), per_unit)) uses.push_back(use);
}

FlowId HostCores::start(OpIndex op, Stream stream, double ps) {
  const std::size_t computer = computer_of(stream.role);
  if (stream.role >= costs_.programs && stream.kind == StreamKind::compute) {
    return network_.start(beside_[computer], ps * 1e-12, time_.now().ps, time_.flow(op));
  }
  const bool stays = stream.role < workers_ && stream.kind == StreamKind::compute;
  if (!stays) {
    return network_.start(any_core_[computer], ps * 1e-12 / costs_.precedence, time_.now().ps,
                          time_.flow(op));
  }
  const std::size_t core = computer * static_cast<std::size_t>(costs_.cores) +
                           static_cast<std::size_t>(core_of(stream.role, costs_.cores));
  return network_.start(one_core_[core], ps * 1e-12, time_.now().ps, time_.flow(op));
}

std::int64_t HostCores::wake_up_ps(Stream stream) const {
  if (goes_straight_on(stream)) return 0;
  return to_ps(all_busy(stream) ? costs_.busy_operation_start : costs_.operation_start);
}

Seconds HostCores::passing_on(Stream stream) const {
  return all_busy(stream) ? costs_.busy_passing_on : costs_.passing_on;
}

/// No core of the stream's computer sleeps: threads are woken sooner and for less.
bool HostCores::all_busy(Stream stream) const {
  return shared() && occupied_[computer_of(stream.role)] >= costs_.cores;
}

Seconds HostCores::take(OperationState& operation, Stream stream) {
  if (!shared() || operation.on_core) return {};
  operation.on_core = true;
  ++occupied_[computer_of(stream.role)];
  std::vector<std::int64_t>& idle = idle_since_ps_[computer_of(stream.role)];
  if (idle.empty()) return {};
  const std::int64_t since_ps = idle.back();
  idle.pop_back();
  return time_.now() - Instant{since_ps};
}

void HostCores::leave(OperationState& operation, Stream stream) {
  if (!operation.on_core) return;
  operation.on_core = false;
  const std::size_t computer = computer_of(stream.role);
  if (--occupied_[computer] < costs_.cores) idle_since_ps_[computer].push_back(time_.now().ps);
}

Seconds HostCores::after_sleep(Seconds slept) const {
  AfterSleep before;
  for (const AfterSleep& measured : costs_.after_sleep) {
    if (slept <= measured.slept) {
      const double way = (slept - before.slept) / (measured.slept - before.slept);
      return before.longer + (measured.longer - before.longer) * way;
    }
    before = measured;
  }
  return before.longer;
}

}  // namespace paceline
