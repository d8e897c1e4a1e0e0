// SPDX-License-Identifier: MIT
// NCCL between the devices of one process, or of several that share a folder: ranks with the same
// id form a clique. A collective with
// an injected fault blocks its streams until it is aborted, as a lost peer would.
#include <cstring>
#include <map>

#include <unistd.h>

#include <nccl.h>

#include "tests/exec/cuda/emulation/clique.hpp"
#include "tests/exec/cuda/emulation/shared_clique.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  int device = 0;
  bool blocking = true;
  std::uint64_t collectives = 0;  ///< number of collectives started
  std::atomic<bool> aborted{false};
  std::atomic<bool> stuck{false};  ///< the host's part of a call does not complete
  std::atomic<int> error{ncclSuccess};
  std::atomic<int> polls{0};  ///< number of polls that report "in progress" before completion
};

namespace {

/// A requested collective that is not queued yet.
struct PendingCall {
  std::shared_ptr<ncclComm> comm;
  Share mine;
  cudaStream_t stream;
};

enum class Failure : std::uint8_t { none, error, stuck, hang };

struct Network {
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<Clique>> cliques;
  std::map<ncclComm_t, std::shared_ptr<ncclComm>> comms;
  std::uint64_t ids = 0;
  Failure failure = Failure::none;
  ncclResult_t error = ncclSuccess;
  std::atomic<int> refused_rank{-1};
};
Network& network() {
  static Network all;
  return all;
}

/// The requests of the calling thread's current group.
struct Group {
  int depth = 0;
  std::vector<std::shared_ptr<ncclComm>> meeting;
  std::vector<PendingCall> pending;
};
Group& group() {
  static thread_local Group here;
  return here;
}

std::shared_ptr<ncclComm> find(ncclComm_t comm) {
  const std::lock_guard lock(network().mutex);
  const auto found = network().comms.find(comm);
  return found == network().comms.end() ? nullptr : found->second;
}

ncclResult_t state(ncclComm& comm) {
  if (comm.error != ncclSuccess) return static_cast<ncclResult_t>(comm.error.load());
  if (comm.stuck) return ncclInProgress;
  if (!comm.clique->complete()) return ncclInProgress;
  if (comm.clique->duplicate()) return ncclInvalidUsage;
  if (comm.polls > 0) {
    --comm.polls;
    return ncclInProgress;
  }
  return ncclSuccess;
}

ncclResult_t wait_for_all(ncclComm& comm) {
  comm.clique->wait_for_all(comm.aborted);
  return comm.clique->duplicate() ? ncclInvalidUsage : ncclSuccess;
}

ncclResult_t queue(const std::vector<PendingCall>& all) {
  Failure failure = Failure::none;
  ncclResult_t error = ncclSuccess;
  if (!all.empty()) {
    const std::lock_guard lock(network().mutex);
    failure = std::exchange(network().failure, Failure::none);
    error = network().error;
  }
  bool polls = false;
  for (const PendingCall& call : all) {
    const auto run = [call, failure] {
      ncclComm& comm = *call.comm;
      if (failure == Failure::none) {
        comm.clique->take_part(call.mine, comm.collectives, comm.aborted);
      } else {
        comm.clique->stay_until(comm.aborted);
      }
    };
    const cudaError_t status = submit(call.stream, {Kind::kernel, run, {}});
    if (status != cudaSuccess) return ncclUnhandledCudaError;
    if (failure == Failure::error) call.comm->error = error;
    if (failure == Failure::stuck) call.comm->stuck = true;
    if (call.comm->blocking) continue;
    call.comm->polls = 1;
    polls = true;
  }
  return polls ? ncclInProgress : ncclSuccess;
}

Number number_of(ncclDataType_t type) {
  return type == ncclFloat ? Number::fp32 : type == ncclHalf ? Number::fp16 : Number::bf16;
}

/// Queues a rank's part of a collective, at the end of its group. All that a rank sends and
/// receives in a group is one part.
ncclResult_t request(Share share, ncclDataType_t type, ncclComm_t handle, cudaStream_t stream) {
  const auto comm = find(handle);
  if (comm == nullptr) return ncclInvalidArgument;
  if (type != ncclFloat && type != ncclBfloat16 && type != ncclHalf) return ncclInvalidArgument;
  int refused = comm->rank;
  if (network().refused_rank.compare_exchange_strong(refused, -1)) return ncclInvalidArgument;
  const ncclResult_t ready = state(*comm);  // callers must have waited for the previous call
  if (ready != ncclSuccess) return ready == ncclInProgress ? ncclInvalidArgument : ready;
  const auto at = Machine::instance().find(stream);
  if (at == nullptr || at->device() != comm->device) return ncclInvalidUsage;
  share.rank = comm->rank;
  share.number = number_of(type);
  if (group().depth == 0) return queue({{comm, share, stream}});
  std::vector<PendingCall>& pending = group().pending;
  const bool goes_on = share.call == Call::exchange && !pending.empty() &&
                       pending.back().comm == comm && pending.back().mine.call == Call::exchange;
  if (goes_on) {
    Share& mine = pending.back().mine;
    mine.sends.insert(mine.sends.end(), share.sends.begin(), share.sends.end());
    mine.receives.insert(mine.receives.end(), share.receives.begin(), share.receives.end());
  } else {
    pending.push_back({comm, share, stream});
  }
  return comm->blocking ? ncclSuccess : ncclInProgress;
}

ncclResult_t remove(ncclComm_t handle, bool aborts) {
  std::shared_ptr<ncclComm> comm;
  {
    const std::lock_guard lock(network().mutex);
    const auto found = network().comms.find(handle);
    if (found == network().comms.end()) return ncclInvalidArgument;
    comm = std::move(found->second);
    network().comms.erase(found);
  }
  if (aborts) comm->clique->abort(comm->aborted);
  return ncclSuccess;
}

}  // namespace

namespace paceline::cuda::emulation {

void fail_next_collective(ncclResult_t error) {
  const std::lock_guard lock(network().mutex);
  network().error = error;
  network().failure = error == ncclSuccess      ? Failure::none
                      : error == ncclInProgress ? Failure::stuck
                                                : Failure::error;
}

void refuse_next_collective_of(int rank) {
  network().refused_rank = rank;
}

void hang_next_collective() {
  const std::lock_guard lock(network().mutex);
  network().failure = Failure::hang;
}

}  // namespace paceline::cuda::emulation

extern "C" {

const char* ncclGetErrorString(ncclResult_t status) {
  switch (status) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard lock(network().mutex);
  std::memset(id, 0, sizeof *id);
  const std::uint64_t number = (static_cast<std::uint64_t>(getpid()) << 32U) + ++network().ids;
  std::memcpy(id->internal, &number, sizeof number);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* handle, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  *handle = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  if (callable(current_device()) != cudaSuccess) return ncclUnhandledCudaError;
  std::uint64_t number = 0;
  std::memcpy(&number, id.internal, sizeof number);
  const auto comm = std::make_shared<ncclComm>();
  comm->rank = rank;
  comm->device = current_device();
  comm->blocking = config == nullptr || config->blocking != 0;
  comm->polls = comm->blocking ? 0 : 1;
  {
    const std::lock_guard lock(network().mutex);
    auto& clique = network().cliques[number];
    if (clique == nullptr) clique = make_clique(number, ranks);
    comm->clique = clique;
    network().comms[comm.get()] = comm;
  }
  if (!comm->clique->join(rank, comm->device)) return ncclInvalidArgument;
  *handle = comm.get();
  if (!comm->blocking) return ncclInProgress;
  if (group().depth == 0) return wait_for_all(*comm);
  group().meeting.push_back(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* handle, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(handle, ranks, id, rank, nullptr);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error) {
  const auto comm = find(handle);
  if (comm == nullptr) return ncclInvalidArgument;
  *error = state(*comm);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  // a call of the group that is open: init.cc of NCCL 2.28.9
  if (group().depth > 0) return find(comm) == nullptr ? ncclInvalidArgument : ncclInProgress;
  return remove(comm, true);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return remove(comm, false);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return find(comm) == nullptr ? ncclInvalidArgument : ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int* count) {
  const auto comm = find(handle);
  if (comm == nullptr) return ncclInvalidArgument;
  *count = comm->clique->ranks();
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++group().depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  Group& here = group();
  if (here.depth == 0) return ncclInvalidUsage;
  if (--here.depth > 0) return ncclSuccess;
  const auto meeting = std::exchange(here.meeting, {});
  const auto pending = std::exchange(here.pending, {});
  for (const auto& comm : meeting) {
    if (const ncclResult_t status = wait_for_all(*comm); status != ncclSuccess) return status;
  }
  return queue(pending);
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
  if (operation != ncclSum) return ncclInvalidArgument;
  return request({.call = Call::all_reduce, .from = from, .to = to, .count = count}, type, handle,
                 stream);
}

ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t operation, int root, ncclComm_t handle, cudaStream_t stream) {
  if (operation != ncclSum) return ncclInvalidArgument;
  return request({.call = Call::reduce, .from = from, .to = to, .count = count, .root = root}, type,
                 handle, stream);
}

ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t handle, cudaStream_t stream) {
  return request({.call = Call::broadcast, .from = from, .to = to, .count = count, .root = root},
                 type, handle, stream);
}

ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
  if (operation != ncclSum) return ncclInvalidArgument;
  return request({.call = Call::reduce_scatter, .from = from, .to = to, .count = count}, type,
                 handle, stream);
}

ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t handle, cudaStream_t stream) {
  return request({.call = Call::all_gather, .from = from, .to = to, .count = count}, type, handle,
                 stream);
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t handle, cudaStream_t stream) {
  if (group().depth == 0) return ncclInvalidUsage;  // all ranks of a clique exchange in a group
  Share share{.call = Call::exchange};
  share.sends.push_back({peer, from, count * bytes_of(number_of(type))});
  return request(share, type, handle, stream);
}

ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t handle,
                      cudaStream_t stream) {
  if (group().depth == 0) return ncclInvalidUsage;
  Share share{.call = Call::exchange};
  share.receives.push_back({peer, to, count * bytes_of(number_of(type))});
  return request(share, type, handle, stream);
}

}  // extern "C"
