// SPDX-License-Identifier: MIT
// NCCL between the devices of one process: ranks that hold the same id meet, and the last one that
// comes to a sum does it for all. A collective that shall fail keeps its streams until it is
// aborted, as a lost peer would.
#include <algorithm>
#include <cstring>
#include <map>

#include <nccl.h>

#include "tests/exec/cuda/emulation/numbers.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

namespace {

constexpr std::chrono::milliseconds kLook{5};  // how often who waits looks for a reset

/// One sum of all ranks.
struct Meeting {
  std::vector<const void*> from;
  std::vector<void*> to;
  std::size_t count = 0;
  bool fits = true;
  bool done = false;
};

/// All ranks of one id.
struct Clique {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> devices;  ///< by rank; -1: has not come
  int arrived = 0;
  std::map<std::uint64_t, Meeting> meetings;  ///< by the number of the collective

  bool complete() const { return arrived == static_cast<int>(devices.size()); }
  bool duplicate() const {
    auto sorted = devices;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }
};

}  // namespace

struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  int device = 0;
  bool blocking = true;
  std::uint64_t collectives = 0;  ///< that ran
  std::atomic<bool> aborted{false};
  std::atomic<bool> stuck{false};  ///< the host's part of a call never ends
  std::atomic<int> error{ncclSuccess};
  std::atomic<int> polls{0};  ///< how often it says "in progress" before it is done
};

namespace {

/// A sum that was asked for, and not queued yet.
struct Asked {
  std::shared_ptr<ncclComm> comm;
  const void* from;
  void* to;
  std::size_t count;
  Number number;
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
};
Network& network() {
  static Network all;
  return all;
}

/// What the calling thread has grouped.
struct Group {
  int depth = 0;
  std::vector<std::shared_ptr<ncclComm>> meeting;
  std::vector<Asked> asked;
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
  {
    const std::lock_guard lock(comm.clique->mutex);
    if (!comm.clique->complete()) return ncclInProgress;
    if (comm.clique->duplicate()) return ncclInvalidUsage;
  }
  if (comm.polls > 0) {
    --comm.polls;
    return ncclInProgress;
  }
  return ncclSuccess;
}

ncclResult_t wait_for_all(ncclComm& comm) {
  std::unique_lock lock(comm.clique->mutex);
  comm.clique->changed.wait(lock, [&] { return comm.clique->complete() || comm.aborted; });
  return comm.clique->duplicate() ? ncclInvalidUsage : ncclSuccess;
}

void add_up(const Meeting& meeting, Number number) {
  for (std::size_t i = 0; i < meeting.count; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    float sum = 0.0F;
    for (const void* from : meeting.from) sum += Reader(from, number)[at];
    for (void* to : meeting.to) Writer(to, number).set(at, sum);
  }
}

/// On a stream's thread: comes to the meeting, and stays until the sum is there.
void take_part(const Asked& asked) {
  ncclComm& comm = *asked.comm;
  Clique& clique = *comm.clique;
  std::unique_lock lock(clique.mutex);
  Meeting& meeting = clique.meetings[comm.collectives++];
  meeting.fits = meeting.from.empty() || (meeting.fits && meeting.count == asked.count);
  meeting.count = asked.count;
  meeting.from.push_back(asked.from);
  meeting.to.push_back(asked.to);
  if (meeting.from.size() == clique.devices.size()) {
    if (meeting.fits) add_up(meeting, asked.number);  // else it hangs, as the real one may
    meeting.done = meeting.fits;
    clique.changed.notify_all();
  }
  const std::atomic<bool>& cancelled = cancelled_here();
  while (!meeting.done && !comm.aborted && !cancelled) clique.changed.wait_for(lock, kLook);
}

void stay_until_aborted(ncclComm& comm) {
  const std::atomic<bool>& cancelled = cancelled_here();
  std::unique_lock lock(comm.clique->mutex);
  while (!comm.aborted && !cancelled) comm.clique->changed.wait_for(lock, kLook);
}

ncclResult_t queue(const std::vector<Asked>& all) {
  Failure failure = Failure::none;
  ncclResult_t error = ncclSuccess;
  if (!all.empty()) {
    const std::lock_guard lock(network().mutex);
    failure = std::exchange(network().failure, Failure::none);
    error = network().error;
  }
  bool polls = false;
  for (const Asked& asked : all) {
    const auto run = [asked, failure] {
      if (failure == Failure::none) {
        take_part(asked);
      } else {
        stay_until_aborted(*asked.comm);
      }
    };
    const cudaError_t status = submit(asked.stream, {Kind::kernel, run, {}});
    if (status != cudaSuccess) return ncclUnhandledCudaError;
    if (failure == Failure::error) asked.comm->error = error;
    if (failure == Failure::stuck) asked.comm->stuck = true;
    if (asked.comm->blocking) continue;
    asked.comm->polls = 1;
    polls = true;
  }
  return polls ? ncclInProgress : ncclSuccess;
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
  if (aborts) {
    const std::lock_guard lock(comm->clique->mutex);
    comm->aborted = true;
  }
  comm->clique->changed.notify_all();
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
  const std::uint64_t number = ++network().ids;
  std::memcpy(id->internal, &number, sizeof number);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* made, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  *made = nullptr;
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
    if (clique == nullptr) {
      clique = std::make_shared<Clique>();
      clique->devices.assign(static_cast<std::size_t>(ranks), -1);
    }
    comm->clique = clique;
    network().comms[comm.get()] = comm;
  }
  {
    const std::lock_guard lock(comm->clique->mutex);
    auto& device = comm->clique->devices.at(static_cast<std::size_t>(rank));
    if (device >= 0) return ncclInvalidArgument;
    device = comm->device;
    ++comm->clique->arrived;
  }
  comm->clique->changed.notify_all();
  *made = comm.get();
  if (!comm->blocking) return ncclInProgress;
  if (group().depth == 0) return wait_for_all(*comm);
  group().meeting.push_back(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* made, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(made, ranks, id, rank, nullptr);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error) {
  const auto comm = find(handle);
  if (comm == nullptr) return ncclInvalidArgument;
  *error = state(*comm);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
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
  *count = static_cast<int>(comm->clique->devices.size());
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
  const auto asked = std::exchange(here.asked, {});
  for (const auto& comm : meeting) {
    if (const ncclResult_t status = wait_for_all(*comm); status != ncclSuccess) return status;
  }
  return queue(asked);
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
  const auto comm = find(handle);
  if (comm == nullptr || operation != ncclSum) return ncclInvalidArgument;
  if (type != ncclFloat && type != ncclBfloat16 && type != ncclHalf) return ncclInvalidArgument;
  const ncclResult_t ready = state(*comm);  // who has not waited for the last call is refused
  if (ready != ncclSuccess) return ready == ncclInProgress ? ncclInvalidArgument : ready;
  const auto at = Machine::instance().find(stream);
  if (at == nullptr || at->device() != comm->device) return ncclInvalidUsage;
  const Number number = type == ncclFloat  ? Number::fp32
                        : type == ncclHalf ? Number::fp16
                                           : Number::bf16;
  const Asked asked{comm, from, to, count, number, stream};
  if (group().depth == 0) return queue({asked});
  group().asked.push_back(asked);
  return comm->blocking ? ncclSuccess : ncclInProgress;
}

}  // extern "C"
