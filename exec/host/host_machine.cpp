// SPDX-License-Identifier: MIT
#include "exec/host/host_machine.hpp"

#include <algorithm>
#include <stdexcept>

#include "exec/machine/usable_cores.hpp"

namespace paceline {

HostMachine::HostMachine(const Plan& plan, Learning& learning, TimeSource& time, RemotePeer* remote,
                         ServerPlacement servers)
    : RealMachine(plan, time, remote),
      learning_(learning),
      sockets_(sockets_of_cores()),
      placement_(place_roles(plan.workers, plan.shards, servers, {},
                             {.gpus = false,
                              .sockets = 1 + *std::max_element(sockets_.begin(), sockets_.end()),
                              .cores = static_cast<int>(sockets_.size())})),
      borders_(static_cast<std::size_t>(plan.workers)) {}

ThreadPlace HostMachine::place_of(Stream stream) const {
  if (stream.role >= plan().programs())
    return {{}, plan().is_loader(stream.role) && stream.kind == StreamKind::compute};
  const Place& place = placement_.of(stream.role);
  if (place.device == Place::Device::core) {
    if (time().patience() > Seconds{}) {
      // the scheduler does not move threads apart that look for work on one core
      const int number = static_cast<int>(stream.kind) * plan().workers + stream.role;
      return {{core_of(number, static_cast<int>(sockets_.size()))}, false};
    }
    if (stream.kind != StreamKind::compute) return {};
    return {{place.number}, true};
  }
  std::vector<int> cores;
  for (std::size_t core = 0; core < sockets_.size(); ++core) {
    if (sockets_[core] == place.number) cores.push_back(static_cast<int>(core));
  }
  return {cores.size() < sockets_.size() ? cores : std::vector<int>()};  // of all: any
}

bool HostMachine::begin(OpIndex op, Stream stream, const Command& command) {
  if (command.is<Command::Collective>()) {
    throw std::runtime_error("the host has no all-reduce of its own");
  }
  give_to_thread(op, stream, command);
  return false;
}

/// On a stream's thread.
Outcome HostMachine::perform(Stream, const Command& command) {
  if (const auto* delay = command.as<Command::Delay>()) return sleep(command.work, *delay);
  if (const auto* request = command.as<Command::StorageRequest>()) {
    this->request(*request);
    return Outcome::done;
  }
  if (const auto* prepare = command.as<Command::Prepare>()) {
    this->prepare(*prepare);
    return Outcome::done;
  }
  if (const auto* compute = command.as<Command::Compute>()) {
    return this->compute(command.work, *compute);
  }
  const auto* copy = command.as<Command::Copy>();
  if (copy != nullptr && is_remote(copy->from.role)) {
    remote()->fetch(*copy, learning_.buffers().open(copy->to, copy->slice.moved(copy->shift)));
  } else {
    learning_.perform(command);
  }
  return Outcome::done;  // it finishes once it has begun
}

/// On a stream's thread.
Outcome HostMachine::compute(WorkId work, const Command::Compute& what) {
  const LayerRange& layers = what.layers;
  // arithmetic calls `stop` before each layer, and may call it again after the last
  const auto count = static_cast<std::size_t>(layers.count());
  std::vector<Instant>& borders = borders_[static_cast<std::size_t>(work.worker)];
  borders.clear();
  const bool notes = parts_observed();
  bool stopped = false;
  const auto stop = [&] {
    if (notes && borders.size() <= count) borders.push_back(time().now());
    return stopped = given_up(work);
  };
  const Instant began = time().now();
  if (layers.pass == Pass::validation) {
    learning_.validate(work.worker, what, stop);
  } else {
    learning_.compute(work, layers, stop);
  }
  const double slowdown = plan().slowdown_of(work.worker);
  if (slowdown > 1 && !stop()) {
    // a slow worker is one that computes for longer: it keeps its core busy
    const Seconds whole = (time().now() - began) * slowdown;
    time().stay_busy(began + whole, [&] { return stopped = given_up(work); });
  }
  if (stopped && !borders.empty() && borders.size() <= count) {
    borders.pop_back();  // of a layer that never ran
  }
  return given_up(work) ? Outcome::cancelled : Outcome::done;
}

}  // namespace paceline
