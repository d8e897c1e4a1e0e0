// SPDX-License-Identifier: MIT
/// \file
/// A GPU's clocks and power while a point is measured on it. A card that is hot or at its power
/// limit runs slower, so measurements are comparable only with their clocks.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exec/cuda/clocks/nvml.hpp"

namespace paceline::cuda {

/// "SM 1980 MHz (1905 to 1980), memory 3201 MHz, 540 W, throttled in 2 of 40 readings": medians,
/// with the range if values differ. Unknown values are left out; "" without readings.
std::string describe_readings(const std::vector<GpuReading>& readings);

/// Reads the GPU at a fixed interval, on its own thread, until stop_and_describe() is called. The
/// interval is long because a reading may go to the GPU's own processor.
class ClockWatch {
 public:
  /// A null `reader` disables the watch.
  explicit ClockWatch(GpuReader reader,
                      std::chrono::milliseconds interval = std::chrono::milliseconds{100});
  ~ClockWatch() { stop(); }
  ClockWatch(const ClockWatch&) = delete;
  ClockWatch& operator=(const ClockWatch&) = delete;

  /// Takes no readings while paused, which it is not at first.
  void pause(bool paused);

  /// Stops the thread and returns describe_readings() of all readings; takes one if there was none.
  std::string stop_and_describe();

 private:
  void watch();
  void stop();

  GpuReader reader_;
  std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable ending_now_;
  bool ending_ = false;
  bool paused_ = false;
  std::vector<GpuReading> readings_;
  std::thread thread_;
};

}  // namespace paceline::cuda
