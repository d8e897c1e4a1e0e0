// SPDX-License-Identifier: MIT
/// \file
/// The CUDA clock: a stream is a stream of a GPU (of a server on the CPU, a thread), a kernel is
/// the network's, a copy goes over the machine's real links, a delay is a kernel that waits.
/// Nothing on the thread of the roles waits for a device: the order between streams is the devices'
/// own, and a poller tells of what has ended.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "exec/cuda/kernels/delay.hpp"
#include "exec/cuda/machine/device_clock.hpp"
#include "exec/cuda/machine/nccl_group.hpp"
#include "exec/cuda/machine/passes.hpp"
#include "exec/cuda/machine/poller.hpp"
#include "exec/cuda/machine/role_streams.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/machine/real_machine.hpp"
#include "training/learning/buffers.hpp"

namespace paceline::cuda {

/// What the roles of a repeat work with. Everything must outlive the machine.
struct Site {
  const RoleStreams* streams = nullptr;
  std::vector<Passes*> passes;   ///< by worker
  std::vector<double> slowdown;  ///< by worker, at least 1
  Buffers* buffers = nullptr;
  std::vector<ArrayWork*> work;  ///< by lane; of roles on the host the host's own
  NcclGroup* nccl = nullptr;     ///< null: there is none
};

class CudaMachine final : public RealMachine {
 public:
  /// Requires a GPU. `plan` and `time` must outlive this.
  CudaMachine(const Plan& plan, const Site& site, TimeSource& time);
  /// Gives up what is under way and waits for it.
  ~CudaMachine() override;

 private:
  /// Some of an operation, or all of it, as it was handed to a device.
  struct Piece {
    OpIndex op = 0;
    std::unique_ptr<DeviceEvent> begin;  ///< null: it goes on where the piece before it ended
    std::unique_ptr<DeviceEvent> end;    ///< null: given up, never handed over
    bool last = true;                    ///< of its operation
    int layers = 0;                      ///< that can be given up
    LayerRange range;                    ///< likewise: which
    Held held;
  };
  /// A stream of a GPU: what its operations are at.
  struct Lane {
    Stream stream;
    int device = 0;
    cudaStream_t cuda = nullptr;
    std::deque<OpIndex> waiting;  ///< begun, and not handed over whole
    std::deque<Piece> in_flight;
    int layers_in_flight = 0;  ///< that can be given up
    bool handing = false;
  };
  /// What the machine knows of an operation on a GPU beside its command.
  struct Progress {
    Token of;
    std::vector<Token> awaited;
    std::int32_t layers_done = 0;  ///< of a compute: handed over
    bool begun = false;
    Instant began, ended;       ///< ended: of the pieces so far
    cudaEvent_t end = nullptr;  ///< of the last piece
    std::int64_t sum = -1;      ///< of a collective: the ordinal of its sum, once it has joined
  };
  /// A sum over all ranks: it is queued when all have come to it.
  struct Sum {
    std::vector<OpIndex> ops;
    int left = 0;  ///< ranks where it has not ended
    std::optional<Instant> queued;
  };

  bool begin(OpIndex op, Stream stream, const Command& command) override;
  bool device_orders(OpIndex op, OpIndex before) const override;
  void must_await(OpIndex op, Token before) override;
  Outcome perform(const Command& command) override;
  void on_progress(const Ended& ended) override;
  void check_health() override;
  void give_up(WorkId work) override;

  bool on_device(Stream stream, const Command& command) const;
  Lane& lane_of(Stream stream) { return lanes_[RoleStreams::lane(stream)]; }
  Progress& progress(OpIndex op);
  void hand_what_may(Lane& lane);
  bool may_hand(const Lane& lane, OpIndex op);
  void hand_next(Lane& lane);
  void queue_piece(Lane& lane, const Command& command, Piece& piece);
  LayerRange next_layers(OpIndex op);
  Held queue(Lane& lane, const Command& command);
  void compute(const Lane& lane, const LayerRange& layers, WorkId work);
  void open(const Lane& lane, Piece& piece);
  void close(Lane& lane, Piece piece);
  bool join_sum(OpIndex op);
  void queue_sum(Sum& sum);
  void leave_sum(std::int64_t ordinal);
  void finish_dropped(Lane& lane);
  void finish_piece(Lane& lane);
  std::unique_ptr<DeviceEvent> event(int device);
  DeviceClock& clock(int device) { return *clocks_[static_cast<std::size_t>(device)]; }
  GivenUp given_up_word(WorkId work) const {
    return {given_up_words_.as<std::int64_t>() + work.worker, work.step};
  }

  const Site site_;
  const bool cancels_;  ///< mini-batches may be given up: layers are handed over a few at a time
  std::vector<double> losses_;   ///< by worker: of the mini-batch that last went forward to its end
  PinnedMemory given_up_words_;  ///< by worker: mini-batches up to this one
  std::vector<DeviceMemory> began_words_;  ///< by worker that is slow: when its arithmetic began
  std::deque<Lane> lanes_;
  std::vector<Progress> progress_;                                ///< by operation
  std::vector<std::vector<std::unique_ptr<DeviceEvent>>> spare_;  ///< events, by device
  std::vector<std::unique_ptr<DeviceClock>> clocks_;              ///< by device; null: not used
  std::deque<Sum> sums_;                                          ///< from ordinal `first_sum_` on
  std::int64_t first_sum_ = 0;
  std::vector<std::int64_t> sums_joined_;  ///< by rank
  std::unique_ptr<Poller> poller_;         ///< last: it uses the queue of what ended
};

}  // namespace paceline::cuda
