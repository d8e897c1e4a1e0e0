// SPDX-License-Identifier: MIT
/// \file
/// A head start of the host: a stream waits while work is queued behind it, so that what is timed
/// on the device does not contain the host's launches.
#pragma once
#include "exec/cuda/kernels/delay.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

class HeadStart {
 public:
  /// Throws Error.
  HeadStart() : never_(sizeof(std::int64_t)) { *never_.as<std::int64_t>() = -1; }
  /// Queues the wait. This must outlive it.
  void queue(std::int64_t nanoseconds, cudaStream_t stream) const {
    delay(nanoseconds, {never_.as<std::int64_t>(), 0}, stream);
  }

 private:
  PinnedMemory never_;  ///< the wait is never given up
};

}  // namespace paceline::cuda
