// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/fastest.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/stream.hpp"

namespace paceline::cuda {
namespace {

/// A median of seven tolerates three disturbed runs.
constexpr int kRuns = 7;
/// Single runs of one algorithm vary by about ten per cent, never by a half.
constexpr float kClearlySlower = 1.5F;

float run_ms(const Attempt& attempt, cudaStream_t stream, const DeviceEvent& begin,
             const DeviceEvent& end) {
  begin.record(stream);
  attempt();
  end.record(stream);
  check(cudaEventSynchronize(end.get()), "timing an algorithm");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin.get(), end.get()), "timing an algorithm");
  return ms;
}

float median_ms(const Attempt& attempt, cudaStream_t stream, float best_ms) {
  const DeviceEvent begin;
  const DeviceEvent end;
  run_ms(attempt, stream, begin, end);  // loads code, fills caches
  std::vector<float> times;
  for (int run = 0; run < kRuns; ++run) {
    times.push_back(run_ms(attempt, stream, begin, end));
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
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    try {
      const float ms = median_ms(attempts[i], stream, best_ms);
      if (best && ms >= best_ms) continue;
      best = i;
      best_ms = ms;
    } catch (const Error& error) {
      if (error.lasting()) throw;
    }
  }
  return best;
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
