// SPDX-License-Identifier: MIT
// Operations on threads of the host: those of servers and loaders there, timers, and copies between
// this process's GPUs and other processes. Such a copy goes through pinned memory, once all that it
// waits for has ended.
#include <algorithm>

#include "exec/calibrate/busy_time.hpp"
#include "exec/cuda/machine/cuda_machine.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// Waits until the copy is done. The device must be current.
void copy_now(float* to, const float* from, std::size_t floats, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, floats * sizeof(float), cudaMemcpyDefault, stream),
        "copying between processes");
  check(cudaStreamSynchronize(stream), "copying between processes");
}

}  // namespace

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
    fetch(stream, *copy);
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

/// Pinned memory of a stream's thread.
std::span<float> CudaMachine::staged(Stream stream, std::size_t floats) {
  PinnedMemory& memory = staged_[RoleStreams::lane(stream)];
  if (memory.bytes() < floats * sizeof(float)) memory = PinnedMemory(floats * sizeof(float));
  return {memory.as<float>(), floats};
}

/// On the thread of a push stream.
std::span<const float> CudaMachine::sent_by(const Command::Copy& copy) {
  const Stream stream{copy.from.role, StreamKind::push};
  const Buffers::Loan loan = site_.buffers->lend(copy.from, copy.slice);
  const int device = site_.streams->device(copy.from.role);
  if (device == kOnHost || loan.floats.empty()) return loan.floats;
  check(cudaSetDevice(device), "choosing a device");
  const std::span<float> here = staged(stream, loan.floats.size());
  copy_now(here.data(), loan.floats.data(), here.size(), site_.streams->of(stream));
  return here;
}

/// On the thread of a fetch stream.
void CudaMachine::fetch(Stream stream, const Command::Copy& copy) {
  const std::span<float> to = site_.buffers->open(copy.to, copy.slice.moved(copy.shift));
  const int device = site_.streams->device(copy.to.role);
  if (device == kOnHost || to.empty()) return remote()->fetch(copy, to);
  check(cudaSetDevice(device), "choosing a device");
  const std::span<float> here = staged(stream, to.size());
  remote()->fetch(copy, here);
  copy_now(to.data(), here.data(), here.size(), site_.streams->of(stream));
}

}  // namespace paceline::cuda
