// SPDX-License-Identifier: MIT
// Sums of gradients and other collectives by NCCL.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "exec/cuda/machine/cuda_machine.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

/// The same as join(), for the ranks of this process. A rank comes to a collective once the one
/// before it is queued.
std::vector<CudaMachine::OpIndex> CudaMachine::join_own(OpIndex op) {
  joining_.push_back(op);
  if (joining_.size() < site_.nccl->own_ranks()) return {};
  return std::exchange(joining_, {});
}

/// The collective at the head of a lane; true if its rank was the last to come, so that the sum is
/// queued.
bool CudaMachine::join_sum(OpIndex op) {
  if (std::exchange(progress(op).joined, true)) return false;
  if (site_.nccl == nullptr) throw std::runtime_error("no NCCL group exists for this all-reduce");
  ++open_sums_;
  std::vector<OpIndex> all = remote() == nullptr ? join(op) : join_own(op);
  if (all.empty()) return false;
  queue_sum(std::move(all));
  return true;
}

void CudaMachine::queue_sum(std::vector<OpIndex> ops) {
  std::sort(ops.begin(), ops.end(),
            [this](OpIndex a, OpIndex b) { return stream_of(a).role < stream_of(b).role; });
  const auto& sum = *command(ops.front()).as<Command::Collective>();
  const Buffer buffer = sum.halves ? Buffer::encoded : Buffer::gradient;
  const std::int64_t number = first_sum_ + static_cast<std::int64_t>(sums_.size());
  std::vector<NcclGroup::Part> parts;
  std::vector<Piece> pieces;
  for (const OpIndex op : ops) {
    Lane& lane = lane_of(stream_of(op));
    make_ready(lane);
    pieces.emplace_back().op = op;
    open(lane, pieces.back());
    progress(op).sum = number;
    const RoleId rank = lane.stream.role;
    parts.push_back({site_.buffers->open({rank, buffer}, sum.slice).data(), lane.cuda});
    if (sum.operation == paceline::Operation::all_to_all) {
      parts.back().landing = site_.buffers->open({rank, Buffer::landing}, sum.slice).data();
    }
  }
  const ProfilerRange range("sum of " + std::to_string(ops.size()) + " workers");
  site_.nccl->run(sum.operation, parts, static_cast<std::size_t>(sum.slice.size()), sum.halves);
  sums_.push_back({static_cast<int>(ops.size()), {}});
  for (std::size_t rank = 0; rank < ops.size(); ++rank) {
    Lane& lane = lane_of(stream_of(ops[rank]));
    check(cudaSetDevice(lane.device), "choosing a device");
    close(lane, std::move(pieces[rank]));
    lane.waiting.pop_front();
  }
  for (const OpIndex op : ops) note_handed_over(op);
  for (const OpIndex op : ops) hand_what_may(lane_of(stream_of(op)));
}

void CudaMachine::leave_sum(std::int64_t number) {
  --open_sums_;
  --sums_[static_cast<std::size_t>(number - first_sum_)].left;
  while (!sums_.empty() && sums_.front().left == 0) {
    sums_.pop_front();
    ++first_sum_;
  }
}

/// Whether all ranks have come to the sum: before it there may be much work, and long delays.
bool CudaMachine::has_begun(std::int64_t sum) {
  return std::ranges::all_of(lanes_, [&](const Lane& lane) {
    for (const Piece& piece : lane.in_flight) {
      if (progress(piece.op).sum == sum) return piece.begin->passed();
    }
    return true;  // of another role, or done
  });
}

void CudaMachine::check_health() {
  if (site_.nccl == nullptr) return;
  std::optional<Seconds> since;
  if (!sums_.empty()) {
    Sum& first = sums_.front();
    if (!first.begun && has_begun(first_sum_)) first.begun = now();
    if (first.begun) since = now() - *first.begun;
  }
  site_.nccl->check_health(since);
}

}  // namespace paceline::cuda
