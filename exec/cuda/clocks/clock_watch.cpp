// SPDX-License-Identifier: MIT
#include "exec/cuda/clocks/clock_watch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace paceline::cuda {
namespace {

/// "1980 MHz (1905 to 1980)": median and range of all values but 0; "" if there is none.
std::string clock_text(const std::vector<GpuReading>& readings, unsigned GpuReading::*clock) {
  std::vector<unsigned> values;
  for (const GpuReading& reading : readings) {
    if (reading.*clock > 0) values.push_back(reading.*clock);
  }
  if (values.empty()) return "";
  std::ranges::sort(values);
  std::string text = std::to_string(values[values.size() / 2]) + " MHz";
  if (values.front() != values.back()) {
    text += " (" + std::to_string(values.front()) + " to " + std::to_string(values.back()) + ")";
  }
  return text;
}

std::string power_text(const std::vector<GpuReading>& readings) {
  double sum = 0;
  int known = 0;
  for (const GpuReading& reading : readings) {
    if (reading.watts <= 0) continue;
    sum += reading.watts;
    ++known;
  }
  return known == 0 ? "" : std::to_string(std::lround(sum / known)) + " W";
}

}  // namespace

std::string describe_readings(const std::vector<GpuReading>& readings) {
  std::string text;
  const auto add = [&text](const char* what, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : ", ") + (what + value);
  };
  add("SM ", clock_text(readings, &GpuReading::sm_mhz));
  add("memory ", clock_text(readings, &GpuReading::memory_mhz));
  add("", power_text(readings));
  const auto throttled = std::ranges::count_if(readings, &GpuReading::throttled);
  if (throttled > 0) {
    add("throttled in ",
        std::to_string(throttled) + " of " + std::to_string(readings.size()) + " readings");
  }
  return text;
}

ClockWatch::ClockWatch(GpuReader reader, std::chrono::milliseconds interval)
    : reader_(std::move(reader)), interval_(interval) {
  if (reader_) thread_ = std::thread([this] { watch(); });
}

void ClockWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_now_.wait_for(lock, interval_, [this] { return ending_; })) {
    if (!paused_) readings_.push_back(reader_());
  }
}

void ClockWatch::pause(bool paused) {
  const std::lock_guard lock(mutex_);
  paused_ = paused;
}

void ClockWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ending_now_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string ClockWatch::stop_and_describe() {
  stop();
  if (readings_.empty() && reader_) readings_.push_back(reader_());
  return describe_readings(readings_);
}

}  // namespace paceline::cuda
