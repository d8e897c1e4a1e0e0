// SPDX-License-Identifier: MIT
/// \file
/// Mini-batches drawn by a thread of their own ahead of need, so that neither the role nor the
/// device waits for them as long as the CPU keeps up.
#pragma once
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

/// A ring of slots in pinned memory. The thread draws the steps in their order; where a worker goes
/// on elsewhere (another life, another repeat), what was drawn ahead is dropped. Steps that are
/// begun before the ring has room are remembered.
class BatchFeeder final : public BatchSource {
 public:
  static constexpr int kSlots = 3;  ///< one being read, one ready, one being drawn

  /// What `setting` points to must outlive this.
  BatchFeeder(const BatchSetting& setting, cudaStream_t stream);
  /// Lets the stream pass whatever it still waits for, with what then lies in the slots, and waits
  /// for it. Whoever wants the mini-batches begun to be the right ones drains the stream before.
  ~BatchFeeder() override;

  Batch begin(std::int64_t step) override;
  void end() override;
  void reseed(std::uint64_t seed) override;

 private:
  /// A step on its way through a slot, until the device has read it. Those of a seed and in order
  /// take the slots in turn.
  struct Passage {
    std::int64_t step = 0;
    std::uint64_t ticket = 0;  ///< grows: the words of a slot take its value
    int slot = 0;
    bool begun = false;  ///< the stream waits for it
    bool drawn = false;
  };
  /// Words of a slot, each in a cache line of its own: one is written by the host, one by the
  /// device.
  struct Words {
    alignas(64) std::uint64_t ready;  ///< the ticket whose mini-batch lies in the slot
    alignas(64) std::uint64_t read;   ///< the last ticket that the device has read
  };

  void work();
  Passage* next_to_draw();
  void drop_what_was_drawn_ahead();
  void append(std::int64_t step);
  void forget_what_was_read();
  void let_all_pass();
  void wait_for_news(std::unique_lock<std::mutex>& lock);
  float* inputs_of(int slot) const;
  float* targets_of(int slot) const;
  Words& words_of(int slot) const { return words_.as<Words>()[slot]; }

  BatchSetting setting_;
  cudaStream_t stream_;
  std::int64_t stride_, targets_at_;  ///< floats between slots; of a slot's targets in it
  PinnedMemory batches_, words_;
  int begun_slot_ = 0;  ///< of the last begin(), and its ticket
  std::uint64_t begun_ticket_ = 0;

  std::mutex mutex_;  ///< of all below
  std::condition_variable news_;
  std::deque<Passage> passages_;  ///< in order; only the first kSlots can be in a slot
  std::uint64_t tickets_ = 0;     ///< given out so far
  std::int64_t next_step_ = 0;    ///< to draw ahead
  int next_slot_ = 0;
  std::exception_ptr error_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace paceline::cuda
