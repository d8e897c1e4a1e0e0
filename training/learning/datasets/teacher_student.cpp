// SPDX-License-Identifier: MIT
#include "training/learning/datasets/teacher_student.hpp"

#include <algorithm>
#include <cmath>

#include "training/learning/datasets/draw_key.hpp"
#include "training/learning/normal_noise.hpp"

namespace paceline {
namespace {

constexpr int kMostHidden = 4096;
/// The numbers of an item that draw_below draws: whether its label is noise, and the noisy label.
constexpr std::uint32_t kIsNoise = 1;
constexpr std::uint32_t kWhichNoise = 2;

/// out = in x weights, [inputs] times [inputs x outputs]. Sums in the order of the inputs.
void multiply(std::span<const float> in, const std::vector<float>& weights, std::span<float> out) {
  std::fill(out.begin(), out.end(), 0.0f);
  const float* row = weights.data();
  float* to = out.data();
  const std::size_t outputs = out.size();
  for (const float x : in) {
    for (std::size_t k = 0; k < outputs; ++k) to[k] += x * row[k];
    row += outputs;
  }
}

std::vector<float> normal_numbers(std::size_t count, double deviation, PhiloxKey key,
                                  std::uint32_t stream) {
  std::vector<float> numbers(count, 0.0f);
  add_normal(numbers, static_cast<float>(deviation), key, stream);
  return numbers;
}

}  // namespace

void TeacherStudent::describe(Description<TeacherStudent>& d) {
  d.optional("hidden", &TeacherStudent::hidden, "units of the teacher's hidden layer")
      .at_least(1)
      .at_most(kMostHidden);
  d.optional("noise", &TeacherStudent::noise, "share of the items with a random class")
      .at_least(Percent{0})
      .at_most(Percent{1});
}

void TeacherStudent::draw(const Shape& input, int classes, std::uint64_t seed, int worker,
                          std::int64_t step, std::span<float> inputs,
                          std::span<float> targets) const {
  const auto elements = static_cast<std::size_t>(input.elements());
  const auto units = static_cast<std::size_t>(hidden);
  const auto labels = static_cast<std::size_t>(classes);
  const auto teacher = teacher_.of({seed, input, classes}, [&] {
    const PhiloxKey key = draw_key(seed, DrawUse::truth);
    const double deviation = 1 / std::sqrt(static_cast<double>(elements));
    return Teacher{normal_numbers(elements * units, deviation, key, 0),
                   normal_numbers(units * labels, 1, key, 1)};
  });
  const PhiloxKey key = draw_key(seed, DrawUse::items, worker, step);
  std::vector<float> middle(units), scores(labels);
  std::fill(inputs.begin(), inputs.end(), 0.0f);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto item = static_cast<std::uint32_t>(i);
    const std::span<float> row = inputs.subspan(i * elements, elements);
    add_normal(row, 1.0f, key, item);
    constexpr std::uint32_t kFine = 1u << 24;
    if (draw_below(kFine, key, item, kIsNoise) < noise.fraction * kFine) {
      targets[i] = static_cast<float>(
          draw_below(static_cast<std::uint32_t>(classes), key, item, kWhichNoise));
      continue;
    }
    multiply(row, teacher->first, middle);
    for (float& unit : middle) unit /= 1 + std::abs(unit);
    multiply(middle, teacher->second, scores);
    targets[i] =
        static_cast<float>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }
}

}  // namespace paceline
