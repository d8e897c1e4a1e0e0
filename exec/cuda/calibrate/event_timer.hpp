// SPDX-License-Identifier: MIT
/// \file
/// Spans of a stream's time between marks, read once at the end: nothing waits in between.
#pragma once
#include <memory>
#include <vector>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "experiments/units.hpp"

namespace paceline::cuda {

/// For one stream at a time, of the device that was current at the first mark.
class EventTimer {
 public:
  void mark(cudaStream_t stream) {
    if (used_ == events_.size()) events_.push_back(std::make_unique<DeviceEvent>());
    events_[used_++]->record(stream);
  }
  /// From each mark to the next, once the stream has passed them all; the marks are forgotten.
  std::vector<Seconds> take() {
    std::vector<Seconds> spans;
    for (std::size_t i = 1; i < used_; ++i) {
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, events_[i - 1]->get(), events_[i]->get()),
            "reading a time");
      spans.emplace_back(1e-3 * static_cast<double>(milliseconds));
    }
    used_ = 0;
    return spans;
  }

 private:
  std::vector<std::unique_ptr<DeviceEvent>> events_;
  std::size_t used_ = 0;
};

}  // namespace paceline::cuda
