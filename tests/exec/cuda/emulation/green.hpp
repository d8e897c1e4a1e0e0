// SPDX-License-Identifier: MIT
/// \file
/// Emulated green contexts inside: which group of SMs a stream belongs to, and what ran there. Not
/// for tests.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace paceline::cuda::emulation {

struct GreenGroup {
  unsigned first = 0, sms = 0;  ///< of the card's SMs
  bool alive = true;            ///< its context has not been destroyed
  std::atomic<std::int64_t> kernels{0}, copies{0};
  std::atomic<int> streams{0}, live_streams{0}, handles{0};
};

/// The group whose context is current on the calling thread; null: none, the whole card.
std::shared_ptr<GreenGroup> current_group();
/// The card's own context is current from now on, in place of a group's: cudaSetDevice.
void leave_group();
/// A library's handle is made on the calling thread.
void note_handle();
/// All contexts are gone, and the driver is as it was.
void restart_green();
/// What cudaDriverGetVersion says.
int driver_version();

}  // namespace paceline::cuda::emulation
