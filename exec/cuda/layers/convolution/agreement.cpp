// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "exec/cuda/kernels/noise.hpp"
#include "exec/cuda/layers/cleared.hpp"
#include "exec/cuda/layers/scratch.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

constexpr std::int64_t kSample = 1 << 15;  // numbers at each end of the output

/// The bound on the relative L2 distance: bf16 rounds by up to 2^-9, fp16 and tf32 by 2^-11, and
/// both sides round. A wrong operand or a sum that is not set to 0 is off by far more.
constexpr float kFar = 0.02F;

BatchNormShape shape_of(const ConvolutionProblem& problem) {
  return {problem.element(),
          lay_channels(problem.element(), problem.layout == Layout::nhwc, problem.batch,
                       problem.map.channels, problem.map.height * problem.map.width),
          false};
}

template <class T>
std::vector<T> read(const void* from, std::int64_t count, cudaStream_t stream) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  check(
      cudaMemcpyAsync(numbers.data(), from, numbers.size() * sizeof(T), cudaMemcpyDefault, stream),
      "reading a trial's result");
  check(cudaStreamSynchronize(stream), "trying an algorithm");
  return numbers;
}

/// Appends `count` numbers from the `first` one on.
void read_numbers(const void* data, Element element, std::int64_t first, std::int64_t count,
                  cudaStream_t stream, std::vector<float>& to) {
  const void* from = at(data, static_cast<std::size_t>(first * bytes_of(element)));
  if (element == Element::fp32) {
    for (const float x : read<float>(from, count, stream)) to.push_back(x);
  } else if (element == Element::fp16) {
    for (const __half x : read<__half>(from, count, stream)) to.push_back(__half2float(x));
  } else {
    for (const __nv_bfloat16 x : read<__nv_bfloat16>(from, count, stream)) {
      to.push_back(__bfloat162float(x));
    }
  }
}

/// Not so if a number of `found` is not finite.
bool near(std::span<const float> found, std::span<const float> expected) {
  double distance = 0, length = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto x = static_cast<double>(expected[i]), y = static_cast<double>(found[i]);
    distance += (y - x) * (y - x);
    length += x * x;
  }
  return distance <= static_cast<double>(kFar * kFar) * length;
}

/// Not where a library computes nothing, as some tests have it.
bool comparable(const std::vector<float>& numbers) {
  return std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); }) &&
         std::ranges::any_of(numbers, [](float x) { return x != 0; });
}

}  // namespace

SumsApart::SumsApart(const ConvolutionProblem& problem)
    : shape_(shape_of(problem)),
      scratch_(problem.sums ? shape_.scratch_bytes() : 0),
      arrivals_(cleared(problem.sums ? shape_.arrivals_bytes() : 0)),
      results_(2 * sizeof(float) * static_cast<std::size_t>(problem.map.channels)) {}

void SumsApart::run(const void* map, cudaStream_t stream) const {
  auto* mean = results_.as<float>();
  batch_norm_statistics(shape_, map, {mean, mean + shape_.grid.channels},
                        {scratch_.data(), arrivals_.as<unsigned>()}, stream);
}

std::vector<float> SumsApart::results(cudaStream_t stream) const {
  return read<float>(results_.data(), 2 * std::int64_t{shape_.grid.channels}, stream);
}

Agreement::Agreement(const Toolbox& tools, const ConvolutionProblem& problem,
                     const Operands& operands, void* workspace, const SumsApart& sums,
                     ConvolutionAlgorithm& apart)
    : tools_(tools),
      problem_(problem),
      operands_(operands),
      workspace_(workspace),
      sums_(sums),
      expected_(result_of(apart)) {}

bool Agreement::with(ConvolutionAlgorithm& fused) const {
  if (!comparable(expected_.numbers)) return true;
  try {
    const Result first = result_of(fused), second = result_of(fused);
    const std::span<const float> found = first.statistics, expected = expected_.statistics;
    const std::size_t channels = found.size() / 2;
    if (!near(first.numbers, expected_.numbers) ||
        !near(found.last(channels), expected.last(channels))) {
      return false;
    }
    // a mean may be near 0: its error counts in deviations
    for (std::size_t i = 0; i < channels; ++i) {
      if (std::abs(found[i] - expected[i]) * expected[channels + i] > kFar) return false;
    }
    return first == second;
  } catch (const Error& error) {
    if (error.lasting()) throw;
  }
  return false;
}

/// From the same start: noise to which is added, else bits that are no numbers.
Agreement::Result Agreement::result_of(ConvolutionAlgorithm& algorithm) const {
  cudaStream_t stream = tools_.stream();
  const auto spoil = [&](void* data, std::int64_t bytes) {
    check(cudaMemsetAsync(data, 0xff, static_cast<std::size_t>(bytes), stream), "spoiling");
  };
  if (problem_.adds) {
    fill_with_noise(operands_.image, problem_.element(), problem_.batch * problem_.image.elements(),
                    stream);
  } else {
    spoil(operands_.map, problem_.batch * problem_.map.elements() * bytes_of(problem_.element()));
  }
  const std::int64_t vector = problem_.map.channels * std::int64_t{sizeof(float)};
  spoil(operands_.sums, 2 * vector);
  algorithm.run(operands_, workspace_);
  Result result{sample(), {}};
  if (!problem_.sums) return result;
  if (algorithm.is_fused()) {
    result.statistics = statistics_of_sums();
  } else {
    sums_.run(operands_.map, stream);
    result.statistics = sums_.results(stream);
  }
  return result;
}

std::vector<float> Agreement::sample() const {
  const void* output = problem_.adds ? operands_.image : operands_.map;
  const std::int64_t all =
      problem_.batch * (problem_.adds ? problem_.image : problem_.map).elements();
  const std::int64_t count = std::min(all, kSample);
  std::vector<float> numbers;
  read_numbers(output, problem_.element(), 0, count, tools_.stream(), numbers);
  read_numbers(output, problem_.element(), all - count, count, tools_.stream(), numbers);
  return numbers;
}

std::vector<float> Agreement::statistics_of_sums() const {
  const auto channels = static_cast<std::size_t>(problem_.map.channels);
  const std::vector<float> sums =
      read<float>(operands_.sums, 2 * std::int64_t{problem_.map.channels}, tools_.stream());
  const auto count =
      static_cast<float>(std::int64_t{problem_.batch} * problem_.map.height * problem_.map.width);
  std::vector<float> statistics(2 * channels);
  for (std::size_t i = 0; i < channels; ++i) {
    const float mean = sums[i] / count;
    const float variance = std::max(sums[channels + i] / count - mean * mean, 0.0F);
    statistics[i] = mean;
    statistics[channels + i] = 1 / std::sqrt(variance + kBatchNormEpsilon);
  }
  return statistics;
}

}  // namespace paceline::cuda
