// SPDX-License-Identifier: MIT
/// \file
/// The emulated computer, internal: its devices, their allocations, and the valid handles. Not for
/// tests.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "tests/exec/cuda/emulation/blocks.hpp"
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"
#include "tests/exec/cuda/emulation/stream_threads.hpp"

struct CUstream_st;
struct CUevent_st;

namespace paceline::cuda::emulation {

struct Work;

/// One GPU. Its streams' threads increment the counters.
struct Device {
  int index = 0;
  std::atomic<std::size_t> bytes{std::size_t{4} << 30U};
  std::atomic<std::size_t> used{0};
  std::atomic<int> fault{cudaSuccess};      ///< a sticky cudaError_t
  std::atomic<bool> cancelled{false};       ///< the device is being reset: running work must end
  std::atomic<bool> libraries_idle{false};  ///< library kernels are counted, but compute nothing
  std::atomic<bool> listing{false};
  std::atomic<int> kernels_to_fault{-1};
  std::atomic<int> fault_to_come{cudaSuccess};
  std::atomic<std::int64_t> calls{0}, kernels{0}, copies{0}, memsets{0}, host_functions{0},
      graph_launches{0}, streams{0}, most_streams{0}, allocations{0};
  std::atomic<int> peers_at_most{1 << 20};
  std::atomic<bool> late_copies{false};  ///< from pageable memory
  GpuModel model;
  std::set<int> peers;  ///< devices that it has access to
  std::mutex listed_mutex;
  std::vector<ListedWork> listed;

  void list(const CUstream_st* stream, const Work& work);
};

/// The state of the emulation. Handles and memory that are not registered here are stale, and
/// refused.
class Machine {
 public:
  static Machine& instance();
  ~Machine();

  void restart(int devices);
  int devices() const { return device_count_.load(); }
  /// Requires that the device exists, or existed before the last restart.
  Device& device(int index);
  /// Ends all streams of the device, frees its memory and clears its faults.
  void reset(int device);

  void add(CUstream_st* stream);
  void add(CUevent_st* event);
  /// Null if the handle is stale; nullptr names the current device's default stream.
  std::shared_ptr<CUstream_st> find(CUstream_st* stream);
  std::shared_ptr<CUevent_st> find(CUevent_st* event);
  std::shared_ptr<CUstream_st> remove(CUstream_st* stream);
  bool remove(CUevent_st* event);
  std::vector<std::shared_ptr<CUstream_st>> streams_of(int device);

  cudaError_t allocate(std::size_t bytes, int device, void** data);
  /// Frees the block that starts at `data`, on a device or on the host.
  cudaError_t free(void* data, bool on_host);
  /// The block that contains `data`; none: bytes 0.
  Allocation block_of(const void* data, std::size_t* bytes_behind);
  std::int64_t live_allocations(int device);

  StreamThreads& threads() { return threads_; }

  void set_fault(Device& device, cudaError_t error, const std::string& what);
  std::string last_fault();

 private:
  Machine();
  void end(std::vector<std::shared_ptr<CUstream_st>> streams);

  StreamThreads threads_;  // first: it outlives the streams
  std::mutex mutex_;
  std::atomic<int> device_count_{1};
  std::vector<std::unique_ptr<Device>> devices_;
  std::map<CUstream_st*, std::shared_ptr<CUstream_st>> streams_;
  std::vector<std::shared_ptr<CUstream_st>> default_streams_;
  std::vector<std::shared_ptr<CUstream_st>> leaving_;  ///< destroyed, but still running
  std::map<CUevent_st*, std::shared_ptr<CUevent_st>> events_;
  std::map<const std::byte*, Allocation> allocations_;
  std::string last_fault_;
};

/// cuDNN's version.
std::atomic<std::size_t>& cudnn_version();
/// The graphs that cuDNN finds plans for.
std::atomic<Graphs>& graphs_at_most();
/// The CUDA that it was made for.
std::atomic<std::size_t>& cudnn_cuda();

/// The current device of the calling thread.
int& current_device();

/// Stores a call's status for cudaGetLastError, and returns it.
cudaError_t returned(cudaError_t status);

/// Success, or why calls are refused: a sticky fault of the device, or the caller is a host
/// function on a stream.
cudaError_t callable(int device);
/// True while the calling thread runs a host function.
bool& in_host_function();

}  // namespace paceline::cuda::emulation
