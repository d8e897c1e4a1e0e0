// SPDX-License-Identifier: MIT
/// \file
/// Times between marks on a stream, read once at the end, so that timing does not stall the stream.
#pragma once
#include <memory>
#include <vector>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "experiments/language/units.hpp"

namespace paceline::cuda {

/// For one stream at a time, on the device that was current at the first mark.
class EventTimer {
 public:
  void mark(cudaStream_t stream) {
    if (used_ == events_.size()) events_.push_back(std::make_unique<DeviceEvent>());
    events_[used_++]->record(stream);
  }
  /// The time from each mark to the next; forgets the marks. Requires that the stream has passed
  /// all of them.
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
