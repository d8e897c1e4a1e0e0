// SPDX-License-Identifier: MIT
/// \file
/// An emulation of CUDA on the CPU, for tests: the sources of exec/cuda are linked with it in place
/// of the runtime, cuBLASLt, cuDNN and NCCL, and their kernels are compiled as C++. This header is
/// what tests see of it beside CUDA's own: how many devices there are, what shall fail, what ran.
///
/// **Emulated**: streams (a thread each), events with times, memory with its bounds and its end,
/// kernels (blocks one after another; the threads of a block as fibers, with barriers, shuffles and
/// votes), capture and graphs, sticky faults, peers; matrix products with epilogues; convolutions
/// and one-layer LSTMs of cuDNN's older interface; green contexts (which streams are of which
/// group, not that groups run beside each other); NCCL's all-reduce between devices of a process.
/// Fresh memory is NaN. Every other launch runs threads and blocks backwards, so that a missing
/// barrier or a sum that depends on the order shows. What CUDA forbids but a CPU would do (calls
/// that capture forbids, CUDA calls in host functions, stale handles, pageable memory in a capture)
/// is refused as CUDA refuses it.
///
/// **Not emulated**: any timing; the memory model (a CPU's is stronger: missing fences do not
/// show); races between blocks of a kernel, which never run at once, so that a kernel that waits
/// for another of its blocks hangs; lockstep of warps; which memory a kernel can reach (here: all),
/// so that missing peer access or pageable memory in a kernel do not show; alignment faults but by
/// UBSan; limits on registers; rounding of the matrix units (TF32 is fp32 here, sums are wider);
/// which algorithms or shapes the real libraries refuse; inline PTX. Passing here is no proof for a
/// GPU: the same tests run there too, as the program `cuda_test`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <nccl.h>

namespace paceline::cuda::emulation {

/// One emulated device with 4 GiB, nothing allocated, nothing to fail, counts at zero. Call it
/// between tests; all handles and memory from before are gone.
void restart(int devices = 1);

/// Limits a device's memory from now on.
void set_memory(int device, std::size_t bytes);

/// Products, convolutions and LSTMs on the device are queued and counted and do nothing from now
/// on: for tests of networks that are too big to compute here.
void idle_libraries(int device);

/// After `kernels` more kernels on the device (library calls count as one), the next one faults
/// with `error`; then every call on the device fails with it until cudaDeviceReset.
void fail_kernel(int device, int kernels, cudaError_t error = cudaErrorIllegalAddress);

/// What ran on a device since the start.
struct Counts {
  std::int64_t kernels = 0;  ///< library calls count as one
  std::int64_t copies = 0;
  std::int64_t memsets = 0;
  std::int64_t host_functions = 0;
  std::int64_t graph_launches = 0;
  std::int64_t allocations = 0;       ///< ever
  std::int64_t live_allocations = 0;  ///< now
  std::size_t live_bytes = 0;
};
Counts counts(int device);

/// How the driver splits a card into green contexts from now on, until restart().
struct GreenSettings {
  int driver = CUDART_VERSION;    ///< the CUDA that it knows; older ones lack the calls
  unsigned sms = 132;             ///< of the card
  unsigned minimum = 8;           ///< SMs of the smallest group
  unsigned multiple = 8;          ///< of which every group's are one
  unsigned groups_at_most = ~0U;  ///< that come back
  std::string failing;            ///< a call that fails ("cuGreenCtxCreate")
};
void set_green(const GreenSettings& settings);

/// A green context that was made since the start, in their order.
struct SmGroup {
  unsigned first = 0, sms = 0;           ///< its SMs
  std::int64_t kernels = 0, copies = 0;  ///< that ran in its streams
  int streams = 0, live_streams = 0;     ///< ever, now
  int handles = 0;                       ///< of libraries, made while it was current
  bool alive = true;                     ///< not destroyed
};
std::vector<SmGroup> green_groups();

/// What the last kernel fault of any device was ("threads of a block wait at different barriers:
/// ..."); "" if there was none.
std::string last_fault();

/// NCCL: the next collective (or group of them) never ends on its streams until its communicators
/// are aborted, and they report `error`; ncclInProgress: the host's part of the call never ends.
/// ncclSuccess takes it back.
void fail_next_collective(ncclResult_t error);
/// The same, and nothing reports anything.
void hang_next_collective();

}  // namespace paceline::cuda::emulation
