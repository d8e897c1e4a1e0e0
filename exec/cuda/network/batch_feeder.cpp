// SPDX-License-Identifier: MIT
#include "exec/cuda/network/batch_feeder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include <pthread.h>

#include "exec/cuda/kernels/words.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// The interval at which the thread polls the device when all slots are in use: the first one and
/// the longest one. Short compared with a step, long compared with a poll.
constexpr std::chrono::microseconds kShortestNap{20};
constexpr std::chrono::microseconds kLongestNap{500};

std::int64_t up_to_64(std::int64_t floats) {  // addresses are multiples of 256 bytes
  return (floats + 63) / 64 * 64;
}

}  // namespace

BatchFeeder::BatchFeeder(const BatchSetting& setting, cudaStream_t stream, cudaStream_t copies)
    : setting_(setting),
      stream_(stream),
      copies_(copies),
      targets_at_(up_to_64(setting.input_floats())),
      lengths_at_(targets_at_ + up_to_64(setting.items())),
      stride_(lengths_at_ + (setting.lengths != nullptr ? up_to_64(setting.items()) : 0)),
      batches_(static_cast<std::size_t>(stride_) * kSlots * sizeof(float)),
      words_(sizeof(Words) * kSlots) {
  for (DeviceSlot& slot : on_device_) {
    slot.memory = DeviceMemory(static_cast<std::size_t>(stride_) * sizeof(float));
  }
  thread_ = std::thread([this] { work(); });  // when nothing can fail any more
  pthread_setname_np(thread_.native_handle(), "batches");
}

BatchFeeder::~BatchFeeder() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
  release_stream();
  // the streams use the slots; after a lost context nothing does, so errors are ignored
  cudaStreamSynchronize(copies_);
  cudaStreamSynchronize(stream_);
}

float* BatchFeeder::inputs_of(int slot) const {
  return batches_.as<float>() + slot * stride_;
}
float* BatchFeeder::targets_of(int slot) const {
  return inputs_of(slot) + targets_at_;
}
int* BatchFeeder::lengths_of(int slot) const {
  static_assert(sizeof(int) == sizeof(float));
  return batches_.as<int>() + slot * stride_ + lengths_at_;
}

Batch BatchFeeder::begin(std::int64_t step) {
  int drawn_in = 0;
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    const auto is_ahead = [](const Passage& passage) { return !passage.begun; };
    auto ahead = std::find_if(passages_.begin(), passages_.end(), is_ahead);
    if (ahead == passages_.end() || ahead->step != step) {
      drop_drawn_ahead();
      append(step);
      ahead = std::prev(passages_.end());
    }
    ahead->begun = true;
    drawn_in = ahead->slot;
    ticket = ahead->ticket;
  }
  changed_.notify_one();
  begun_ = (begun_ + 1) % kDeviceSlots;
  const DeviceSlot& slot = on_device_[begun_];
  check(cudaStreamWaitEvent(copies_, slot.read.get(), 0), "ordering streams");
  await_word(&words_of(drawn_in).ready, ticket, copies_);
  check(cudaMemcpyAsync(slot.memory.data(), inputs_of(drawn_in), slot.memory.bytes(),
                        cudaMemcpyDefault, copies_),
        "copying a mini-batch");
  write_word(&words_of(drawn_in).read, ticket, copies_);
  slot.filled.record(copies_);
  check(cudaStreamWaitEvent(stream_, slot.filled.get(), 0), "ordering streams");
  const float* inputs = slot.memory.as<float>();
  return {inputs, inputs + targets_at_, slot.memory.as<int>() + lengths_at_};
}

void BatchFeeder::end() {
  on_device_[begun_].read.record(stream_);
}

void BatchFeeder::reseed(std::uint64_t seed) {
  {
    const std::lock_guard lock(mutex_);
    drop_drawn_ahead();
    setting_.seed = seed;
    next_step_ = 0;
  }
  changed_.notify_one();
}

void BatchFeeder::drop_drawn_ahead() {
  while (!passages_.empty() && !passages_.back().begun) {
    next_slot_ = passages_.back().slot;
    passages_.pop_back();
  }
}

void BatchFeeder::append(std::int64_t step) {
  Passage passage;
  passage.step = step;
  passage.ticket = ++tickets_;
  passage.slot = next_slot_;
  passages_.push_back(passage);
  next_slot_ = (next_slot_ + 1) % kSlots;
  next_step_ = step + 1;
}

void BatchFeeder::retire_read() {
  while (!passages_.empty() && passages_.front().begun) {
    std::uint64_t& read = words_of(passages_.front().slot).read;
    if (std::atomic_ref(read).load(std::memory_order_acquire) < passages_.front().ticket) return;
    passages_.pop_front();
  }
}

/// The first step of the ring that is not drawn yet. If there is none and a slot is free, the next
/// step is appended.
BatchFeeder::Passage* BatchFeeder::next_to_draw() {
  retire_read();
  for (std::size_t i = 0; i < std::min<std::size_t>(kSlots, passages_.size()); ++i) {
    if (!passages_[i].drawn) return &passages_[i];
  }
  if (passages_.size() >= kSlots) return nullptr;
  append(next_step_);
  return &passages_.back();
}

void BatchFeeder::work() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const Passage* next = next_to_draw();
    if (next == nullptr) {
      wait_for_change(lock);
      continue;
    }
    const Passage drawing = *next;
    const BatchSetting setting = setting_;
    lock.unlock();
    std::exception_ptr error;
    try {
      setting.draw(drawing.step, inputs_of(drawing.slot), targets_of(drawing.slot),
                   lengths_of(drawing.slot));
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error) {
      error_ = error;
      release_stream();  // the role gets the error with its next mini-batch
      return;
    }
    const auto drawn =
        std::find_if(passages_.begin(), passages_.end(),
                     [&](const Passage& passage) { return passage.ticket == drawing.ticket; });
    if (drawn == passages_.end()) continue;  // dropped during the draw
    drawn->drawn = true;
    std::atomic_ref(words_of(drawing.slot).ready).store(drawing.ticket, std::memory_order_release);
  }
}

/// Waits until a step is begun, or the device may have read one.
void BatchFeeder::wait_for_change(std::unique_lock<std::mutex>& lock) {
  auto nap = kShortestNap;
  const std::uint64_t tickets = tickets_;
  const std::uint64_t front = passages_.front().ticket;
  while (!ending_ && tickets_ == tickets && passages_.size() >= kSlots &&
         passages_.front().ticket == front) {
    if (passages_.front().begun) {
      changed_.wait_for(lock, nap);
      nap = std::min(2 * nap, kLongestNap);
      retire_read();
      if (passages_.empty()) return;
    } else {
      changed_.wait(lock);
    }
  }
}

void BatchFeeder::release_stream() {
  for (int slot = 0; slot < kSlots; ++slot) {
    std::atomic_ref(words_of(slot).ready)
        .store(std::numeric_limits<std::uint64_t>::max(), std::memory_order_release);
  }
}

}  // namespace paceline::cuda
