// SPDX-License-Identifier: MIT
/// \file
/// Emulated green contexts, internal: the group of SMs of each stream, and its operations. Not for
/// tests.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace paceline::cuda::emulation {

struct GreenGroup {
  unsigned first = 0, sms = 0;  ///< within the card's SMs
  bool alive = true;            ///< the context is not destroyed
  std::atomic<std::int64_t> kernels{0}, copies{0};
  std::atomic<int> streams{0}, live_streams{0}, handles{0};
};

/// The group of the context that is current on the calling thread; null: the whole card.
std::shared_ptr<GreenGroup> current_group();
/// Makes the primary context current instead of a group's, as cudaSetDevice does.
void leave_group();
/// Counts a library handle created on the calling thread.
void note_handle();
/// Removes all contexts and resets the driver.
void restart_green();
/// The result of cudaDriverGetVersion.
int driver_version();

}  // namespace paceline::cuda::emulation
