// SPDX-License-Identifier: MIT
/// \file
/// A GPU's clocks and power while a point is measured on it: a card that is hot, or at its power
/// limit, is a slower card, and a figure without its clocks cannot be compared.
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
/// and the range where there is one; "" of none. What no reading knows is left out.
std::string describe_readings(const std::vector<GpuReading>& readings);

/// Reads on a thread of its own until it is asked, and no more after that.
class ClockWatch {
 public:
  /// A null `reader` reads nothing.
  explicit ClockWatch(GpuReader reader,
                      std::chrono::milliseconds interval = std::chrono::milliseconds{20});
  ~ClockWatch() { stop(); }
  ClockWatch(const ClockWatch&) = delete;
  ClockWatch& operator=(const ClockWatch&) = delete;

  /// Ends the watch, with one last reading, and says what was read.
  std::string said();

 private:
  void watch();
  void stop();

  GpuReader reader_;
  std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable ending_now_;
  bool ending_ = false;
  std::vector<GpuReading> readings_;
  std::thread thread_;
};

}  // namespace paceline::cuda
