// SPDX-License-Identifier: MIT
/// \file
/// The CUDA clock: a stream is a stream of a GPU (of a server on the CPU, a thread), a kernel is
/// the network's, a copy goes over the machine's real links, a delay is a kernel that waits. The
/// thread of the roles never waits for a device: the devices keep the order between streams, and a
/// poller reports the ended operations.
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
#include "exec/cuda/machine/stream_work.hpp"
#include "exec/cuda/network/pipeline_items.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/profiler_ranges.hpp"
#include "exec/machine/real_machine.hpp"
#include "training/learning/buffers.hpp"

namespace paceline::cuda {

/// The resources of a repeat's roles. All must outlive the machine.
struct Site {
  const RoleStreams* streams = nullptr;
  std::vector<Passes*> passes;  ///< by worker; null: of another process
  Buffers* buffers = nullptr;
  StreamWork* work = nullptr;
  PipelineItems* items = nullptr;  ///< null: workers read no items that loaders prepared
  NcclGroup* nccl = nullptr;       ///< null: there is none
  RemotePeer* remote = nullptr;    ///< null: there are no other processes
};

class CudaMachine final : public RealMachine {
 public:
  /// Requires a GPU. `plan` and `time` must outlive this.
  CudaMachine(const Plan& plan, const Site& site, TimeSource& time);
  /// Gives up the operations under way and waits for their end.
  ~CudaMachine() override;
  void note_clock_set() override;

 private:
  /// Part of an operation, or all of it, as it was handed to a device.
  struct Piece {
    OpIndex op = 0;
    std::unique_ptr<DeviceEvent> begin;  ///< null: it begins where the piece before it ended
    std::unique_ptr<DeviceEvent> end;    ///< null: given up, never handed over
    bool last = true;                    ///< of its operation
    bool with_next = false;  ///< one launch: its end may be looked at after that of the next piece
    LayerRange layers;       ///< that can be given up; none: it has to run
    Held held;
  };
  /// A stream of a GPU and its operations.
  struct Lane {
    Stream stream;
    int device = 0;
    cudaStream_t cuda = nullptr;  ///< null: not used yet
    std::deque<OpIndex> waiting;  ///< begun, and not handed over whole
    std::deque<Piece> in_flight;
    Instant ended;             ///< of the last piece that ran
    int pieces_in_flight = 0;  ///< that can be given up
    bool handing = false;
  };
  /// The state of an operation on a GPU.
  struct Progress {
    Token of;
    std::vector<Token> awaited;
    std::int32_t layers_done = 0;  ///< of a compute: handed over
    bool begun = false;
    Instant began;
    cudaEvent_t end = nullptr;  ///< of the last piece
    bool joined = false;        ///< of a collective: its rank has come to it
    std::int64_t sum = -1;      ///< of a collective that is queued: its number
  };
  /// The checkpoints of a role on a GPU that waits for them.
  struct Writes {
    PinnedMemory copy;        ///< of the weights, and of the optimizer's state, for the storage
    std::uint64_t begun = 0;  ///< handed to the device
    std::uint64_t copied = 0;
  };
  /// A sum over all ranks that is queued.
  struct Sum {
    int left = 0;                  ///< ranks where it has not ended
    std::optional<Instant> begun;  ///< seen on all ranks
  };

  bool begin(OpIndex op, Stream stream, const Command& command) override;
  bool device_orders(OpIndex op, OpIndex before) const override;
  void must_await(OpIndex op, Token before) override;
  Outcome perform(Stream stream, const Command& command) override;
  std::span<const float> sent_by(const Command::Copy& copy) override;
  void on_progress(const Ended& ended) override;
  bool begin_held_back() override;
  void check_health() override;
  void give_up(WorkId work) override;

  void prepare_items(RoleId loader, const Command::Prepare& prepare);
  bool on_device(Stream stream, const Command& command) const;
  std::vector<OpIndex> join_own(OpIndex op);
  Lane& lane_of(Stream stream) { return lanes_[RoleStreams::lane(stream)]; }
  Progress& progress(OpIndex op);
  void make_ready(Lane& lane);
  void hand_what_may(Lane& lane);
  bool may_hand(const Lane& lane, OpIndex op) const;
  void hand_next(Lane& lane);
  bool is_held_back(const Lane& lane) const;
  bool goes_with_next(const Lane& lane);
  void hand_both(Lane& lane);
  void queue_piece(Lane& lane, const Command& command, Piece& piece);
  LayerRange next_layers(OpIndex op);
  Held queue(Lane& lane, const Command& command);
  void make_writes();
  void hand_write(Lane& lane, OpIndex op);
  void begin_write(const Lane& lane, OpIndex op);
  void release_writes();
  void compute(const Lane& lane, const LayerWork& part, WorkId work);
  void open(const Lane& lane, Piece& piece);
  void close(Lane& lane, Piece piece);
  bool join_sum(OpIndex op);
  void queue_sum(std::vector<OpIndex> ops);
  void leave_sum(std::int64_t number);
  bool has_begun(std::int64_t sum);
  void finish_dropped(Lane& lane);
  void note_times(Lane& lane, Piece& piece, Progress& at);
  void finish_piece(Lane& lane);
  std::unique_ptr<DeviceEvent> event(int device);
  DeviceClock& clock(int device) { return *clocks_[static_cast<std::size_t>(device)]; }
  GivenUp given_up_word(WorkId work) const {
    return {given_up_words_.as<std::int64_t>() + work.worker, work.step};
  }

  const Site site_;
  const bool cancels_;     ///< mini-batches may be given up: layers are handed over a few at a time
  const bool joins_;       ///< one worker alone: both passes are one launch
  bool roles_run_ = true;  ///< they may queue the backward pass of a forward pass held back
  StepRanges step_ranges_;
  std::vector<double> losses_;   ///< by worker: of the last mini-batch that completed forward
  PinnedMemory given_up_words_;  ///< by worker: mini-batches up to this one
  std::vector<DeviceMemory> began_words_;  ///< by worker that is slow: when its arithmetic began
  std::vector<Writes> writes_;             ///< by role
  PinnedMemory written_words_;             ///< by role: its checkpoints that have been written
  std::deque<Lane> lanes_;
  std::vector<Progress> progress_;                                ///< by operation
  std::vector<std::vector<std::unique_ptr<DeviceEvent>>> spare_;  ///< events, by device
  std::vector<std::unique_ptr<DeviceClock>> clocks_;              ///< by device; null: not used
  std::deque<Sum> sums_;                                          ///< from number `first_sum_` on
  std::int64_t first_sum_ = 0;
  std::vector<OpIndex> joining_;    ///< of a sum with other processes: the ranks that have come
  int open_sums_ = 0;               ///< ranks that have come to a sum that has not ended there
  std::unique_ptr<Poller> poller_;  ///< last: it uses the queue of ended operations
};

}  // namespace paceline::cuda
