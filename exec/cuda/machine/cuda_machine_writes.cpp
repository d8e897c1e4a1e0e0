// SPDX-License-Identifier: MIT
// Checkpoints that a role on a GPU waits for. The device copies the weights to the host's memory
// and its stream waits there; a thread of the host, which makes no CUDA calls, writes them.
#include <algorithm>
#include <limits>

#include "exec/cuda/kernels/words.hpp"
#include "exec/cuda/machine/cuda_machine.hpp"

namespace paceline::cuda {
namespace {

void set_word(std::uint64_t* word, std::uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

std::span<const float> weights_of(const Buffers& buffers, RoleId role, const Held& published) {
  return published != nullptr ? published->floats() : buffers.weights(role);
}

}  // namespace

void CudaMachine::make_writes() {
  const Plan& plan = this->plan();
  const CheckpointRule& rule = plan.checkpoint;
  if (!rule || rule.asynchronous) return;
  writes_.resize(static_cast<std::size_t>(plan.programs()));
  written_words_ = PinnedMemory(writes_.size() * sizeof(std::uint64_t));
  for (RoleId role = plan.first_holder(); plan.holds(role); ++role) {
    if (site_.streams->device(role) == kOnHost) continue;
    const std::size_t bytes =
        weights_of(*site_.buffers, role, site_.buffers->current(role)).size_bytes();
    writes_[static_cast<std::size_t>(role)].copy =
        PinnedMemory(static_cast<std::size_t>(rule.copies()) * bytes);
  }
}

/// In two pieces: once the first has ended the role's thread begins to write, and the second ends
/// when that has written.
void CudaMachine::hand_write(Lane& lane, OpIndex op) {
  const RoleId role = lane.stream.role;
  Writes& writes = writes_[static_cast<std::size_t>(role)];
  Piece copied;
  copied.op = op;
  copied.last = false;
  open(lane, copied);
  {
    const auto current = site_.streams->enter(lane.stream);
    copied.held = site_.buffers->current(role);
    const std::span<const float> weights = weights_of(*site_.buffers, role, copied.held);
    auto* to = writes.copy.as<float>();
    const CheckpointRule& rule = plan().checkpoint;
    for (int number = 0; number < rule.copies(); ++number, to += weights.size()) {
      // copies of the weights stand for all that is written
      const auto part = static_cast<std::size_t>(
          rule.numbers_of(number, static_cast<std::int64_t>(weights.size())));
      site_.work->of(lane.stream).copy({to, part}, weights.first(part));
    }
  }
  close(lane, std::move(copied));
  Piece written;
  written.op = op;
  {
    const auto current = site_.streams->enter(lane.stream);
    await_word(written_words_.as<std::uint64_t>() + role, ++writes.begun, lane.cuda);
  }
  close(lane, std::move(written));
}

/// A piece of an operation has ended: if that is a checkpoint, it can be written now. The copy is a
/// part of the time that a write takes.
void CudaMachine::begin_write(const Lane& lane, OpIndex op) {
  const auto* write = command(op).as<Command::StorageRequest>();
  if (write == nullptr) return;
  Command::StorageRequest rest = *write;
  rest.ps = std::max<std::int64_t>(0, rest.ps - to_ps(lane.ended - progress(op).began));
  const RoleId role = lane.stream.role;
  std::uint64_t* const word = written_words_.as<std::uint64_t>() + role;
  const std::uint64_t number = ++writes_[static_cast<std::size_t>(role)].copied;
  add_to_thread(lane.stream, [this, rest, word, number] {
    request(rest);
    set_word(word, number);
  });
}

/// Lets all streams go on that wait for a checkpoint.
void CudaMachine::release_writes() {
  auto* const words = written_words_.as<std::uint64_t>();
  for (std::size_t role = 0; role < writes_.size(); ++role) {
    set_word(words + role, std::numeric_limits<std::uint64_t>::max());
  }
}

}  // namespace paceline::cuda
