// SPDX-License-Identifier: MIT
#include "exec/calibrate/copy_probe.hpp"

#include "training/results/metrics/measurement.hpp"

namespace paceline {
namespace {

constexpr int kLeastRounds = 9;
constexpr int kMostRounds = 200;
// Distance between the parts of successive rounds, in parts: prime, so that every part is visited,
// and too long for a hardware prefetcher.
constexpr std::int64_t kStride = 769;

/// One part of buffers of `all` bytes, a different one each round: a part copied in the last round
/// would still be cached, and a worker's message is not.
Slice slice_of(Bytes size, Bytes all, int round) {
  const auto count = static_cast<std::int64_t>(size.value() / kBytesPerParameter);
  const auto parts = static_cast<std::int64_t>(all / size);
  const std::int64_t begin = (round * kStride) % parts * count;
  return {begin, begin + count, size.value()};
}

}  // namespace

Task<> copy_role(Backend& backend, const CopyObserver& observer, const CopyProbe& probe,
                 std::vector<std::vector<TimedTransfer>>& times) {
  times.assign(probe.copies.size(), {});
  for (const Bytes size : probe.sizes) {
    std::vector<std::vector<double>> durations(probe.copies.size());
    const Instant began = backend.now();
    // the first round is not counted: it touches the memory for the first time
    for (int round = 0; round <= kMostRounds; ++round) {
      if (round > kLeastRounds && backend.now() - began > probe.budget) break;
      std::vector<Token> tokens;
      for (const ProbedCopy& copy : probe.copies) {
        const Slice part = slice_of(size, probe.sizes.back(), round);
        tokens.push_back(backend.copy(copy.stream, {copy.from, copy.to, part}));
      }
      for (const Token token : tokens) co_await backend.finished(0, token);
      if (round == 0) continue;
      for (std::size_t i = 0; i < probe.copies.size(); ++i) {
        durations[i].push_back(observer.duration(probe.copies[i].stream).value());
      }
    }
    for (std::size_t i = 0; i < probe.copies.size(); ++i) {
      times[i].push_back({size, Seconds{quantile_of(durations[i], 0.5)}});
    }
  }
}

}  // namespace paceline
