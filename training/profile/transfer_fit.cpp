// SPDX-License-Identifier: MIT
#include "training/profile/transfer_fit.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace paceline {
namespace {

// Huber's constant: 95 % as efficient as least squares where errors are normal. Residuals are
// scaled by 1.4826 x their median, which is a normal error's deviation. P. J. Huber, Robust
// Statistics, 1981.
constexpr double kHuber = 1.345;
constexpr double kMedianToDeviation = 1.4826;
constexpr int kRounds = 50;
// Residuals below this consist of the clock's own steps.
constexpr double kLeastDeviation = 1e-4;

struct Line {
  double latency = 0;  // seconds
  double pace = 0;     // seconds a byte
};

/// The weighted least-squares line; through the origin where its latency would be negative.
Line line_of(std::span<const TimedTransfer> measured, const std::vector<double>& weights) {
  double w = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double size = measured[i].size.value();
    const double time = measured[i].time.value();
    w += weights[i];
    x += weights[i] * size;
    y += weights[i] * time;
    xx += weights[i] * size * size;
    xy += weights[i] * size * time;
  }
  const double spread = w * xx - x * x;
  if (spread > 1e-12 * w * xx) {
    const double pace = (w * xy - x * y) / spread;
    const double latency = (y - pace * x) / w;
    if (latency >= 0 && pace > 0) return {latency, pace};
  }
  return {0, xy / xx};
}

std::vector<double> relative_residuals(std::span<const TimedTransfer> measured, const Line& line) {
  std::vector<double> residuals;
  for (const TimedTransfer& one : measured) {
    const double predicted = line.latency + line.pace * one.size.value();
    residuals.push_back((predicted - one.time.value()) / one.time.value());
  }
  return residuals;
}

double median_size_of(std::vector<double> values) {
  for (double& value : values) value = std::fabs(value);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

TransferFit fit_transfers(std::span<const TimedTransfer> measured) {
  const bool any = std::any_of(measured.begin(), measured.end(),
                               [](const TimedTransfer& one) { return one.size > Bytes{0}; });
  if (!any) throw std::invalid_argument("fit_transfers: no message of any size");
  std::vector<double> relative;
  for (const TimedTransfer& one : measured) {
    if (!(one.time > Seconds{0})) throw std::invalid_argument("fit_transfers: a time of nothing");
    relative.push_back(1 / (one.time.value() * one.time.value()));
  }
  std::vector<double> weights = relative;
  Line line = line_of(measured, weights);
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> residuals = relative_residuals(measured, line);
    const double deviation =
        std::max(kMedianToDeviation * median_size_of(residuals), kLeastDeviation);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double far = std::fabs(residuals[i]) / deviation;
      weights[i] = relative[i] * (far > kHuber ? kHuber / far : 1);
    }
    const Line next = line_of(measured, weights);
    const bool settled = std::fabs(next.pace - line.pace) <= 1e-12 * line.pace &&
                         std::fabs(next.latency - line.latency) <= 1e-15;
    line = next;
    if (settled) break;
  }
  TransferFit fit;
  fit.latency = Seconds{line.latency};
  fit.bandwidth = BytesPerSecond{1 / line.pace};
  double squares = 0;
  double worst = 0;
  for (const double residual : relative_residuals(measured, line)) {
    squares += residual * residual;
    worst = std::max(worst, std::fabs(residual));
  }
  fit.rms = Percent{std::sqrt(squares / static_cast<double>(measured.size()))};
  fit.worst = Percent{worst};
  return fit;
}

}  // namespace paceline
