// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/nccl_group.hpp"

#include <chrono>
#include <thread>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

using Clock = std::chrono::steady_clock;

std::string in_words(Seconds time) {
  return std::to_string(static_cast<int>(time.value())) + " s";
}

}  // namespace

NcclGroup::NcclGroup(const std::vector<int>& devices, Seconds patience)
    : ranks_(devices.size(), nullptr), patience_(patience) {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id), "meeting");
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  check(ncclGroupStart(), "meeting");
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    check(cudaSetDevice(devices[rank]), "choosing a device");
    check(ncclCommInitRankConfig(&ranks_[rank], static_cast<int>(devices.size()), id,
                                 static_cast<int>(rank), &config),
          "meeting");
  }
  check(ncclGroupEnd(), "meeting");
  settle("meeting");
}

NcclGroup::~NcclGroup() {
  give_up();  // abort, since a regular shutdown hangs after a failure
}

void NcclGroup::give_up() {
  for (ncclComm_t& rank : ranks_) {
    if (rank != nullptr) ncclCommAbort(rank);
    rank = nullptr;
  }
}

/// Waits until NCCL has finished the host's part of all calls; the devices may still be running.
void NcclGroup::settle(const char* doing) const {
  const Clock::time_point began = Clock::now();
  for (const ncclComm_t rank : ranks_) {
    for (;;) {
      ncclResult_t state = ncclSuccess;
      check(ncclCommGetAsyncError(rank, &state), doing);
      check(state, doing);
      if (state != ncclInProgress) break;
      if (std::chrono::duration<double>(Clock::now() - began).count() > patience_.value()) {
        throw Error(std::string(doing) + ": NCCL: no answer for " + in_words(patience_), false);
      }
      std::this_thread::yield();
    }
  }
}

void NcclGroup::all_reduce(std::span<const Part> parts, std::size_t count, bool halves) {
  check(ncclGroupStart(), "summing");
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    check(ncclAllReduce(parts[rank].data, parts[rank].data, halves ? 2 * count : count,
                        halves ? ncclHalf : ncclFloat, ncclSum, ranks_[rank], parts[rank].stream),
          "summing");
  }
  check(ncclGroupEnd(), "summing");
  settle("summing");
}

void NcclGroup::check_health(std::optional<Seconds> since) const {
  for (const ncclComm_t rank : ranks_) {
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(rank, &state), "summing");
    check(state, "summing");
  }
  if (since && *since > patience_) {
    throw Error("summing: NCCL: not done after " + in_words(patience_), false);
  }
}

}  // namespace paceline::cuda
