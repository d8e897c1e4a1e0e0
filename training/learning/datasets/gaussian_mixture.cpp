// SPDX-License-Identifier: MIT
#include "training/learning/datasets/gaussian_mixture.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "training/learning/datasets/draw_key.hpp"
#include "training/learning/normal_noise.hpp"

namespace paceline {
namespace {

/// The number of patches along one side of an image; a centre has one colour in each patch.
constexpr int kPatches = 4;
/// If all centres together have more floats than this (64 MiB), they are drawn again for each item.
constexpr std::int64_t kMostKept = std::int64_t{16} << 20;

/// The cells of a centre: kPatches along each side, but at most one per pixel.
Shape patches_of(Shape input) {
  return {input.channels, std::min(input.height, kPatches), std::min(input.width, kPatches)};
}

}  // namespace

void GaussianMixture::describe(Description<GaussianMixture>& d) {
  d.optional("separation", &GaussianMixture::separation,
             "distance between two classes' centres, in standard deviations of the noise")
      .above(0);
}

void GaussianMixture::append_centre(const Shape& input, PhiloxKey key, std::uint32_t label,
                                    std::vector<float>& centres) const {
  // Two centres differ by a normal of variance 2 in each element.
  const auto spread =
      static_cast<float>(separation / std::sqrt(2.0 * static_cast<double>(input.elements())));
  const Shape patches = patches_of(input);
  std::vector<float> colours(static_cast<std::size_t>(patches.elements()), 0.0f);
  add_normal(colours, spread, key, label);
  for (int channel = 0; channel < input.channels; ++channel) {
    for (int y = 0; y < input.height; ++y) {
      const int line = channel * patches.height + y * patches.height / input.height;
      for (int x = 0; x < input.width; ++x) {
        const int patch = line * patches.width + x * patches.width / input.width;
        centres.push_back(colours[static_cast<std::size_t>(patch)]);
      }
    }
  }
}

void GaussianMixture::draw(const Shape& input, int classes, std::uint64_t seed, int worker,
                           std::int64_t step, std::span<float> inputs,
                           std::span<float> targets) const {
  const auto elements = static_cast<std::size_t>(input.elements());
  assert(classes > 0 && inputs.size() == elements * targets.size());
  const auto labels = static_cast<std::uint32_t>(classes);
  const PhiloxKey key = draw_key(seed, DrawUse::truth);
  const auto centres = centres_.of({seed, input, classes}, [&] {
    std::vector<float> all;
    if (input.elements() > kMostKept / classes) return all;
    for (std::uint32_t label = 0; label < labels; ++label) append_centre(input, key, label, all);
    return all;
  });
  const PhiloxKey items = draw_key(seed, DrawUse::items, worker, step);
  std::vector<float> anew;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto item = static_cast<std::uint32_t>(i);
    const std::uint32_t label = draw_below(labels, items, item);
    targets[i] = static_cast<float>(label);
    const std::span<float> row = inputs.subspan(i * elements, elements);
    if (centres->empty()) {
      anew.clear();
      append_centre(input, key, label, anew);
      std::copy(anew.begin(), anew.end(), row.begin());
    } else {
      std::copy_n(centres->begin() + static_cast<std::ptrdiff_t>(label * elements), elements,
                  row.begin());
    }
    add_normal(row, 1.0f, items, item);
  }
}

}  // namespace paceline
