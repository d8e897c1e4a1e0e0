// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/nccl_group.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "exec/cuda/machine/forced_algorithm.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kExchanging = "exchanging";

std::string in_words(Seconds time) {
  return std::to_string(static_cast<int>(time.value())) + " s";
}

/// Calls that NCCL begins together. A group that an exception leaves is ended too: within one, even
/// an abort would not begin.
class Group {
 public:
  explicit Group(const char* doing) : doing_(doing) { check(ncclGroupStart(), doing); }
  ~Group() {
    if (open_) ncclGroupEnd();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void end() {
    open_ = false;
    check(ncclGroupEnd(), doing_);
  }

 private:
  const char* doing_;
  bool open_ = true;
};

}  // namespace

ncclUniqueId NcclGroup::new_id() {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id), "meeting");
  return id;
}

NcclGroup::NcclGroup(const std::vector<int>& devices, Seconds patience)
    : NcclGroup(devices, patience, {.id = new_id(), .ranks = static_cast<int>(devices.size())}) {}

NcclGroup::NcclGroup(const std::vector<int>& devices, Seconds patience, Others others)
    : ranks_(devices.size(), nullptr),
      patience_(patience),
      others_(std::move(others)),
      patience_for_sums_(others_.ranks > static_cast<int>(devices.size())
                             ? std::max(patience, Others::kPatience)
                             : patience) {
  try {
    meet(devices);
  } catch (...) {
    give_up();  // without an object there is no destructor
    throw;
  }
}

void NcclGroup::meet(const std::vector<int>& devices) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const ForcedAlgorithm forced(others_.forced);
  Group together("meeting");
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    check(cudaSetDevice(devices[rank]), "choosing a device");
    check(ncclCommInitRankConfig(&ranks_[rank], others_.ranks, others_.id,
                                 others_.first + static_cast<int>(rank), &config),
          "meeting");
  }
  together.end();
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
      others_.check();
      if (std::chrono::duration<double>(Clock::now() - began).count() > patience_.value()) {
        throw Error(std::string(doing) + ": NCCL: no answer for " + in_words(patience_), false);
      }
      std::this_thread::yield();
    }
  }
}

void NcclGroup::run(paceline::Operation operation, std::span<const Part> parts, std::size_t count,
                    bool halves) {
  Group together(kExchanging);
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
    queue(operation, parts[rank], count, halves, rank);
  together.end();
  settle(kExchanging);
}

/// One rank's call.
void NcclGroup::queue(paceline::Operation operation, const Part& part, std::size_t count,
                      bool halves, std::size_t rank) const {
  const auto ranks = static_cast<std::size_t>(others_.ranks);
  const std::size_t share = count / ranks;
  float* const own = part.data + (static_cast<std::size_t>(others_.first) + rank) * share;
  const ncclComm_t comm = ranks_[rank];
  const auto call = [&](ncclResult_t result) { check(result, kExchanging); };
  switch (operation) {
    case paceline::Operation::all_reduce:
      return call(ncclAllReduce(part.data, part.data, halves ? 2 * count : count,
                                halves ? ncclHalf : ncclFloat, ncclSum, comm, part.stream));
    case paceline::Operation::reduce:
      return call(
          ncclReduce(part.data, part.data, count, ncclFloat, ncclSum, 0, comm, part.stream));
    case paceline::Operation::broadcast:
      return call(ncclBroadcast(part.data, part.data, count, ncclFloat, 0, comm, part.stream));
    case paceline::Operation::reduce_scatter:
      return call(ncclReduceScatter(part.data, own, share, ncclFloat, ncclSum, comm, part.stream));
    case paceline::Operation::all_gather:
      return call(ncclAllGather(own, part.data, share, ncclFloat, comm, part.stream));
    case paceline::Operation::all_to_all:
      for (std::size_t i = 0; i < ranks; ++i) {
        const int peer = static_cast<int>(i);
        call(ncclSend(part.data + i * share, share, ncclFloat, peer, comm, part.stream));
        call(ncclRecv(part.landing + i * share, share, ncclFloat, peer, comm, part.stream));
      }
      return;
  }
}

void NcclGroup::check_health(std::optional<Seconds> since) const {
  for (const ncclComm_t rank : ranks_) {
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(rank, &state), kExchanging);
    check(state, kExchanging);
  }
  if (since && *since > patience_for_sums_) {
    throw Error(std::string(kExchanging) + ": NCCL: not done after " + in_words(patience_for_sums_),
                false);
  }
}

}  // namespace paceline::cuda
