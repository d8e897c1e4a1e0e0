// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/fastest.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "exec/cuda/kernels/delay.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"

namespace paceline::cuda {
namespace {

/// A median of seven tolerates three disturbed runs.
constexpr int kRuns = 7;
/// Single runs of one algorithm vary by about ten per cent, never by a half.
constexpr float kClearlySlower = 1.5F;
/// A long run, of which the host's own time is a small part, need not be repeated to be so much
/// slower.
constexpr float kMuchSlower = 3;
constexpr float kLongMs = 1;

/// Short kernels run several times in a row behind a wait, in which the host queues them: else its
/// own time would be measured.
constexpr float kShortMs = 0.1F;
constexpr int kInRow = 5;
constexpr std::int64_t kWaitNs = 200'000;

class Timing {
 public:
  explicit Timing(cudaStream_t stream) : stream_(stream), never_(sizeof(std::int64_t)) {
    *never_.as<std::int64_t>() = -1;
  }

  /// Of one of `times` runs in a row.
  float run_ms(const Attempt& attempt, int times) const {
    if (times > 1) delay(kWaitNs, {never_.as<std::int64_t>(), 0}, stream_);
    begin_.record(stream_);
    for (int i = 0; i < times; ++i) attempt();
    end_.record(stream_);
    check(cudaEventSynchronize(end_.get()), "timing an algorithm");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "timing an algorithm");
    return ms / static_cast<float>(times);
  }

 private:
  cudaStream_t stream_;
  DeviceEvent begin_, end_;
  PinnedMemory never_;
};

float median_ms(const Attempt& attempt, const Timing& timing, float best_ms) {
  timing.run_ms(attempt, 1);  // loads code, fills caches
  const float first_ms = timing.run_ms(attempt, 1);
  if (first_ms > std::max(kLongMs, kMuchSlower * best_ms)) return first_ms;
  const int in_row = first_ms < kShortMs ? kInRow : 1;
  std::vector<float> times;
  for (int run = 0; run < kRuns; ++run) {
    times.push_back(timing.run_ms(attempt, in_row));
    if (times.front() > kClearlySlower * best_ms) return times.front();
  }
  const auto middle = times.begin() + kRuns / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

std::optional<std::size_t> fastest(std::span<const Attempt> attempts, cudaStream_t stream) {
  std::optional<std::size_t> best;
  float best_ms = std::numeric_limits<float>::infinity();
  const Timing timing(stream);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    try {
      const float ms = median_ms(attempts[i], timing, best_ms);
      if (best && ms >= best_ms) continue;
      best = i;
      best_ms = ms;
    } catch (const Error& error) {
      if (error.lasting()) throw;
    }
  }
  return best;
}

std::optional<std::size_t> first_working(std::span<const Attempt> attempts, cudaStream_t stream) {
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (failure_of(attempts[i], stream).empty()) return i;
  }
  return std::nullopt;
}

std::string failure_of(const Attempt& attempt, cudaStream_t stream) {
  try {
    attempt();
    check(cudaStreamSynchronize(stream), "trying an algorithm");
  } catch (const Error& error) {
    if (error.lasting()) throw;
    return error.what();
  }
  return {};
}

}  // namespace paceline::cuda
