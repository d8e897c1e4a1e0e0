// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/machine.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/green.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

namespace paceline::cuda::emulation {
namespace {

constexpr int kMostDevices = 16;

}  // namespace

Machine& Machine::instance() {
  static Machine machine;
  return machine;
}

Machine::Machine() {
  for (int i = 0; i < kMostDevices; ++i) {
    devices_.push_back(std::make_unique<Device>());
    devices_.back()->index = i;
  }
  default_streams_.resize(kMostDevices);
}

Machine::~Machine() {
  restart(0);
}

void Machine::restart(int devices) {
  for (int i = 0; i < kMostDevices; ++i) reset(i);
  forget_captures();
  const std::lock_guard lock(mutex_);
  for (const auto& [data, block] : allocations_) give_back(data, block);
  allocations_.clear();
  last_fault_.clear();
  for (auto& device : devices_) {
    const int index = device->index;
    device = std::make_unique<Device>();
    device->index = index;
  }
  device_count_ = devices;
}

Device& Machine::device(int index) {
  const std::lock_guard lock(mutex_);
  return *devices_.at(static_cast<std::size_t>(index));
}

void Machine::end(std::vector<std::shared_ptr<CUstream_st>> streams) {
  for (const auto& stream : streams) stream->finish();
  streams.clear();  // joins their threads
}

void Machine::reset(int index) {
  Device& reset = device(index);
  std::vector<std::shared_ptr<CUstream_st>> ending;
  reset.cancelled = true;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = streams_.begin(); at != streams_.end();) {
      if (at->second->device() == index) {
        ending.push_back(std::move(at->second));
        at = streams_.erase(at);
      } else {
        ++at;
      }
    }
    std::erase_if(leaving_, [&](auto& stream) {
      if (stream->device() != index) return false;
      ending.push_back(std::move(stream));
      return true;
    });
    auto& plain = default_streams_[static_cast<std::size_t>(index)];
    if (plain != nullptr) ending.push_back(std::move(plain));
  }
  end(std::move(ending));
  const std::lock_guard lock(mutex_);
  for (auto at = allocations_.begin(); at != allocations_.end();) {
    if (at->second.device == index) {
      give_back(at->first, at->second);
      at = allocations_.erase(at);
    } else {
      ++at;
    }
  }
  reset.used = 0;
  reset.streams = 0;
  reset.peers.clear();
  reset.kernels_to_fault = -1;
  reset.fault = cudaSuccess;
  reset.cancelled = false;
}

void Machine::add(CUstream_st* stream) {
  const std::lock_guard lock(mutex_);
  std::erase_if(leaving_, [](const auto& old) { return old->finished(); });
  streams_.emplace(stream, stream);
  Device& device = *devices_.at(static_cast<std::size_t>(stream->device()));
  device.most_streams = std::max<std::int64_t>(device.most_streams, ++device.streams);
}

void Machine::add(CUevent_st* event) {
  const std::lock_guard lock(mutex_);
  events_.emplace(event, event);
}

std::shared_ptr<CUstream_st> Machine::find(CUstream_st* stream) {
  if (stream == nullptr) {
    const auto index = static_cast<std::size_t>(current_device());
    {
      const std::lock_guard lock(mutex_);
      if (default_streams_[index] != nullptr) return default_streams_[index];
    }
    auto default_stream = std::make_shared<CUstream_st>(current_device());
    const std::lock_guard lock(mutex_);
    if (default_streams_[index] == nullptr) default_streams_[index] = std::move(default_stream);
    return default_streams_[index];
  }
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second;
}

std::shared_ptr<CUevent_st> Machine::find(CUevent_st* event) {
  const std::lock_guard lock(mutex_);
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : found->second;
}

std::shared_ptr<CUstream_st> Machine::remove(CUstream_st* stream) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return nullptr;
  auto removed = std::move(found->second);
  streams_.erase(found);
  --devices_.at(static_cast<std::size_t>(removed->device()))->streams;
  leaving_.push_back(removed);
  return removed;
}

bool Machine::remove(CUevent_st* event) {
  const std::lock_guard lock(mutex_);
  return events_.erase(event) == 1;
}

std::vector<std::shared_ptr<CUstream_st>> Machine::streams_of(int device) {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<CUstream_st>> found;
  for (const auto& [handle, stream] : streams_) {
    if (stream->device() == device) found.push_back(stream);
  }
  for (const auto& stream : leaving_) {
    if (stream->device() == device) found.push_back(stream);
  }
  const auto& plain = default_streams_[static_cast<std::size_t>(device)];
  if (plain != nullptr) found.push_back(plain);
  return found;
}

cudaError_t Machine::allocate(std::size_t bytes, int device, void** data) {
  *data = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::lock_guard lock(mutex_);
  Device* owner = device < 0 ? nullptr : devices_.at(static_cast<std::size_t>(device)).get();
  if (owner != nullptr && (bytes > owner->bytes || owner->used > owner->bytes - bytes)) {
    return cudaErrorMemoryAllocation;
  }
  const bool lists = owner != nullptr && owner->listing;
  *data = take_block(bytes, lists);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  allocations_[static_cast<std::byte*>(*data)] = {bytes, device, lists};
  if (owner != nullptr) {
    owner->used += bytes;
    ++owner->allocations;
  }
  return cudaSuccess;
}

cudaError_t Machine::free(void* data, bool on_host) {
  if (data == nullptr) return cudaSuccess;
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(static_cast<std::byte*>(data));
  if (found == allocations_.end() || (found->second.device < 0) != on_host) {
    return cudaErrorInvalidValue;
  }
  if (!on_host) {
    devices_.at(static_cast<std::size_t>(found->second.device))->used -= found->second.bytes;
  }
  give_back(found->first, found->second);
  allocations_.erase(found);
  return cudaSuccess;
}

Allocation Machine::block_of(const void* data, std::size_t* bytes_behind) {
  const std::lock_guard lock(mutex_);
  const auto* at = static_cast<const std::byte*>(data);
  auto after = allocations_.upper_bound(at);
  if (after == allocations_.begin()) return {};
  const auto& [start, block] = *std::prev(after);
  if (at >= start + block.bytes) return {};
  *bytes_behind = static_cast<std::size_t>(start + block.bytes - at);
  return block;
}

std::int64_t Machine::live_allocations(int device) {
  const std::lock_guard lock(mutex_);
  std::int64_t count = 0;
  for (const auto& [data, block] : allocations_) count += block.device == device ? 1 : 0;
  return count;
}

void Machine::set_fault(Device& device, cudaError_t error, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (device.fault.load() != cudaSuccess) return;
  last_fault_ = what;
  std::fprintf(stderr, "emulated GPU %d: %s\n", device.index, what.c_str());
  device.fault = error;
}

std::string Machine::last_fault() {
  const std::lock_guard lock(mutex_);
  return last_fault_;
}

int& current_device() {
  static constinit thread_local int device = 0;
  return device;
}

bool& in_host_function() {
  static constinit thread_local bool inside = false;
  return inside;
}

cudaError_t callable(int index) {
  if (in_host_function()) return cudaErrorNotPermitted;
  if (index >= Machine::instance().devices()) return cudaErrorNoDevice;
  ++Machine::instance().device(current_device()).calls;
  return static_cast<cudaError_t>(Machine::instance().device(index).fault.load());
}

void restart(int devices) {
  cudnn_version() = CUDNN_VERSION;
  graphs_at_most() = Graphs::fused;
  cudnn_cuda() = CUDART_VERSION;
  Machine::instance().restart(devices);
  restart_green();
  current_device() = 0;
  returned(cudaSuccess);
  cudaGetLastError();
  fail_next_collective(ncclSuccess);
  refuse_next_collective_of(-1);
}

void set_memory(int device, std::size_t bytes) {
  Machine::instance().device(device).bytes = bytes;
}

void set_model(int device, const GpuModel& model) {
  Machine::instance().device(device).model = model;
}

void limit_peers(int device, int most) {
  Machine::instance().device(device).peers_at_most = most;
}

void delay_pageable_copies(int device) {
  Machine::instance().device(device).late_copies = true;
}

void idle_libraries(int device) {
  Machine::instance().device(device).libraries_idle = true;
}

void fail_kernel(int device, int kernels, cudaError_t error) {
  Device& failing = Machine::instance().device(device);
  failing.fault_to_come = error;
  failing.kernels_to_fault = kernels;
}

void Device::list(const CUstream_st* stream, const Work& work) {
  const std::lock_guard lock(listed_mutex);
  listed.push_back({work.kind, stream, work.cost});
}

void list_work(int device) {
  Machine::instance().device(device).listing = true;
}

std::vector<ListedWork> listed_work(int device) {
  Device& listing = Machine::instance().device(device);
  const std::lock_guard lock(listing.listed_mutex);
  return listing.listed;
}

Counts counts(int device) {
  const Device& target = Machine::instance().device(device);
  return {target.calls,        target.kernels,        target.copies,
          target.memsets,      target.host_functions, target.graph_launches,
          target.most_streams, target.allocations,    Machine::instance().live_allocations(device),
          target.used};
}

std::string last_fault() {
  return Machine::instance().last_fault();
}

}  // namespace paceline::cuda::emulation
