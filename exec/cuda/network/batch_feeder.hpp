// SPDX-License-Identifier: MIT
/// \file
/// A thread draws mini-batches ahead of their use, so that neither the role nor the device waits
/// for them as long as the CPU keeps up.
#pragma once
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"

namespace paceline::cuda {

/// A ring of slots in pinned memory, in which the thread draws steps in order. A stream of its own
/// copies them to the device, into one of two slots there, while the mini-batch before is computed.
/// If a worker continues at another step (after it was replaced, or in the next repeat), the
/// mini-batches drawn ahead are dropped. Steps that are begun before the ring has room are queued.
class BatchFeeder final : public BatchSource {
 public:
  static constexpr int kDeviceSlots = 2;  ///< one being read, one being filled
  static constexpr int kSlots = 3;        ///< one being copied, one ready, one being drawn

  /// For the current device. Copies on `copies`, for work on `stream`. The objects that `setting`
  /// points to must outlive this.
  BatchFeeder(const BatchSetting& setting, cudaStream_t stream, cudaStream_t copies);
  /// Releases the streams from all waits, whatever the slots then contain, and waits for them.
  /// To get the right mini-batches in all steps begun, drain the stream before.
  ~BatchFeeder() override;

  Batch begin(std::int64_t step) override;
  void end() override;
  void reseed(std::uint64_t seed) override;

 private:
  /// A step on its way through a slot, until it has been copied to the device. Consecutive steps
  /// take the slots in turn.
  struct Passage {
    std::int64_t step = 0;
    std::uint64_t ticket = 0;  ///< increases; the value of the slot's words for this step
    int slot = 0;
    bool begun = false;  ///< the stream waits for it
    bool drawn = false;
  };
  /// The words of a slot, each in its own cache line: the host writes one, the device the other.
  struct Words {
    alignas(64) std::uint64_t ready;  ///< ticket of the mini-batch in the slot
    alignas(64) std::uint64_t read;   ///< last ticket that has been copied
  };

  void work();
  Passage* next_to_draw();
  void drop_drawn_ahead();
  void append(std::int64_t step);
  void retire_read();
  void release_stream();
  void wait_for_change(std::unique_lock<std::mutex>& lock);
  float* inputs_of(int slot) const;
  float* targets_of(int slot) const;
  int* lengths_of(int slot) const;
  Words& words_of(int slot) const { return words_.as<Words>()[slot]; }

  BatchSetting setting_;
  cudaStream_t stream_, copies_;
  /// Floats between slots; offsets of the targets and of the lengths in a slot.
  std::int64_t targets_at_, lengths_at_, stride_;
  PinnedMemory batches_, words_;

  /// A mini-batch on the device.
  struct DeviceSlot {
    DeviceMemory memory;
    DeviceEvent filled, read;
  };
  std::array<DeviceSlot, kDeviceSlots> on_device_;
  std::size_t begun_ = 0;  ///< slot on the device of the last begin()

  std::mutex mutex_;  ///< guards everything below
  std::condition_variable changed_;
  std::deque<Passage> passages_;  ///< in order; only the first kSlots can occupy a slot
  std::uint64_t tickets_ = 0;     ///< issued so far
  std::int64_t next_step_ = 0;    ///< next step to draw ahead
  int next_slot_ = 0;
  std::exception_ptr error_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace paceline::cuda
