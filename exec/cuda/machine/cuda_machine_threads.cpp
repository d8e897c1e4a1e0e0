// SPDX-License-Identifier: MIT
// Operations on threads of the host: those of servers and loaders there, timers, and copies between
// this process's GPUs and other processes. Such a copy begins once all that it waits for has ended.
#include <algorithm>

#include "exec/calibrate/busy_time.hpp"
#include "exec/cuda/machine/cuda_machine.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

/// On the thread of a server or a loader on the host, or of a timer.
Outcome CudaMachine::perform(Stream stream, const Command& command) {
  if (const auto* delay = command.as<Command::Delay>()) return sleep(command.work, *delay);
  if (const auto* asked = command.as<Command::StorageRequest>()) {
    request(*asked);
    return Outcome::done;
  }
  if (const auto* prepare = command.as<Command::Prepare>()) {
    prepare_items(stream.role, *prepare);
    return Outcome::done;
  }
  if (const auto* copy = command.as<Command::Copy>(); copy && is_remote(copy->from.role)) {
    remote()->fetch(*copy, site_.buffers->open(copy->to, copy->slice.moved(copy->shift)));
    return Outcome::done;
  }
  const auto* assign = command.as<Command::Assign>();
  if (assign != nullptr && site_.items != nullptr) site_.items->move_targets(*assign);
  site_.buffers->perform(command, site_.work->of(stream));
  return Outcome::done;
}

/// To draw the items is a part of the time that it takes to prepare them.
void CudaMachine::prepare_items(RoleId loader, const Command::Prepare& prepare) {
  if (site_.items == nullptr) return this->prepare(prepare);
  const Seconds began = busy_time_of_thread();
  site_.items->draw(loader, prepare);
  Command::Prepare rest = prepare;
  rest.ps = std::max<std::int64_t>(0, prepare.ps - to_ps(busy_time_of_thread() - began));
  this->prepare(rest);
}

/// The devices' clocks are tied to one that has been set anew.
void CudaMachine::note_clock_set() {
  for (std::size_t device = 0; device < clocks_.size(); ++device) {
    if (clocks_[device] == nullptr) continue;
    check(cudaSetDevice(static_cast<int>(device)), "choosing a device");
    *clocks_[device] = DeviceClock(time());
  }
}

/// On the thread of a push stream.
std::span<const float> CudaMachine::sent_by(const Command::Copy& copy) {
  return site_.buffers->lend(copy.from, copy.slice).floats;
}

}  // namespace paceline::cuda
