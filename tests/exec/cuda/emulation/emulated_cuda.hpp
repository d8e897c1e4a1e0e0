// SPDX-License-Identifier: MIT
/// \file
/// An emulation of CUDA on the CPU for tests. The sources of exec/cuda are linked with it instead
/// of the CUDA runtime, cuBLASLt, cuDNN and NCCL, and their kernels are compiled as C++. This
/// header is the tests' interface to it: the number of devices, fault injection, and counts of
/// operations.
///
/// **Emulated**: streams (a thread each), timed events, memory with its bounds and limits, kernels
/// (blocks one after another; the threads of a block as fibers, with barriers, shuffles and votes),
/// capture and graphs, sticky faults, peers; matrix products with epilogues; convolutions of
/// cuDNN's legacy interface, and its operation graphs around one convolution; one-layer LSTMs;
/// green contexts (which streams belong to which group, not that groups run concurrently); NCCL's
/// all-reduce between devices of one process, or of processes that share a folder
/// (shared_clique.hpp). Fresh memory is NaN. Every other launch runs threads and blocks backwards,
/// which exposes missing barriers and sums that depend on the order. Operations that CUDA forbids
/// but a CPU could do (calls that capture forbids, CUDA calls in host functions, stale handles,
/// pageable memory in a capture) are refused as CUDA refuses them.
///
/// **Not emulated**: timing; the memory model (a CPU's is stronger, so missing fences are not
/// exposed); races between blocks of a kernel, which never run concurrently, so that a kernel that
/// waits for another of its blocks hangs; lockstep of warps; the memory that a kernel can access
/// (here: all), so that missing peer access or pageable memory in a kernel are not exposed;
/// alignment faults except by UBSan; limits on registers; rounding of the tensor cores (TF32 is
/// fp32 here, sums are wider); the algorithms and shapes that the real libraries refuse; inline
/// PTX. Passing here does not prove that the code works on a GPU: the same tests also run there, as
/// the program `cuda_test`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "exec/cuda/kernels/cost.hpp"

namespace paceline::cuda::emulation {

/// Resets the machine: devices with 4 GiB of free memory, no injected faults, and counts of zero.
/// Call it between tests; all earlier handles and memory become invalid.
void restart(int devices = 1);

/// Limits the memory of a device.
void set_memory(int device, std::size_t bytes);

/// The model of a device; at first "Emulated GPU" of compute capability 9.0.
struct GpuModel {
  std::string name = "Emulated GPU";
  int major = 9, minor = 0;
};
void set_model(int device, const GpuModel& model);

/// The device refuses more peers, as hardware does beyond eight on PCIe.
void limit_peers(int device, int most);

/// From now on, a synchronous copy from pageable memory to a device returns before it has been
/// made, as CUDA permits; work on the default stream comes after it.
void delay_pageable_copies(int device);

/// The version of cuDNN that is installed, until restart(); at first that of its headers.
void set_cudnn_version(std::size_t version);
/// The CUDA that cuDNN was made for, until restart(); at first that of the headers.
void set_cudnn_cuda(std::size_t version);

/// The graphs for which cuDNN finds plans, until restart(); at first all that its documentation
/// lists for compute capability 9.0 and this emulation knows. `careless`: these, but sums are added
/// to the contents of their memory.
enum class Graphs : std::uint8_t { none, single, fused, careless };
void limit_graphs(Graphs most);

/// From now on, products, convolutions and LSTMs on the device are queued and counted but compute
/// nothing: for tests of networks that are too large to compute here.
void idle_libraries(int device);

/// `library` is a kernel of cuDNN or cuBLASLt; `graph` the launch of one, before its own work.
enum class Kind : std::uint8_t { kernel, library, copy, memset, host_function, graph, other };

/// An operation of a stream.
struct ListedWork {
  Kind kind = Kind::other;
  const void* stream = nullptr;
  Cost cost;
};
/// From now on, the work of the device's streams is listed and not carried out, so that networks of
/// any size go through. Only copies, host functions, and kernels that move no tensors run. The time
/// between two events is then that of the bytes that the stream has moved.
void list_work(int device);
/// In the order in which it would have run.
std::vector<ListedWork> listed_work(int device);

/// After `kernels` more kernels on the device (library calls count as one), the next one faults
/// with `error`; every call on the device then returns it until cudaDeviceReset.
void fail_kernel(int device, int kernels, cudaError_t error = cudaErrorIllegalAddress);

/// Operations that ran on a device since the start.
struct Counts {
  std::int64_t calls = 0;    ///< that need a context, by threads for which the device is current
  std::int64_t kernels = 0;  ///< library calls count as one
  std::int64_t copies = 0;
  std::int64_t memsets = 0;
  std::int64_t host_functions = 0;
  std::int64_t graph_launches = 0;
  std::int64_t most_streams = 0;      ///< at one time, without the default stream
  std::int64_t allocations = 0;       ///< total
  std::int64_t live_allocations = 0;  ///< at present
  std::size_t live_bytes = 0;
};
Counts counts(int device);

/// How the driver splits a card into green contexts, until restart().
struct GreenSettings {
  int driver = CUDART_VERSION;    ///< CUDA version of the driver; older ones lack the calls
  unsigned sms = 132;             ///< of the card
  unsigned minimum = 8;           ///< SMs of the smallest group
  unsigned multiple = 8;          ///< granularity of a group's SMs
  unsigned groups_at_most = ~0U;  ///< maximum number of groups returned, of
  unsigned groups_above = 0;      ///< this many SMs or more
  std::string failing;            ///< name of a call that fails ("cuGreenCtxCreate")
};
void set_green(const GreenSettings& settings);

/// A green context made since the start, in order of creation.
struct SmGroup {
  unsigned first = 0, sms = 0;           ///< its SMs
  std::int64_t kernels = 0, copies = 0;  ///< in its streams
  int streams = 0, live_streams = 0;     ///< total, and at present
  int handles = 0;                       ///< of libraries, created while it was current
  bool alive = true;                     ///< not yet destroyed
};
std::vector<SmGroup> green_groups();

/// Message of the last kernel fault on any device ("threads of a block wait at different barriers:
/// ..."); "" if there was none.
std::string last_fault();

/// NCCL: the next collective (or group of them) does not complete until its communicators are
/// aborted, and they report `error`. With ncclInProgress the host's part of the call does not
/// complete. ncclSuccess cancels the fault.
void fail_next_collective(ncclResult_t error);
/// The next call of this rank for a collective is refused as invalid.
void refuse_next_collective_of(int rank);
/// As fail_next_collective, but no call reports an error.
void hang_next_collective();

}  // namespace paceline::cuda::emulation
