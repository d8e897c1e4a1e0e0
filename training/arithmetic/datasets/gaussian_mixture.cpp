// SPDX-License-Identifier: MIT
#include "training/arithmetic/datasets/gaussian_mixture.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "training/arithmetic/normal.hpp"
#include "training/random/draw.hpp"

namespace paceline {
namespace {

/// The key of one use of the seed. `use` sets the centres apart from the items.
PhiloxKey derived_key(std::uint64_t seed, std::uint32_t use, std::uint32_t worker,
                      std::uint64_t step) {
  const auto purpose = static_cast<std::uint32_t>(Purpose::data) << 16;
  const PhiloxCounter words =
      philox({static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32) | purpose,
              worker, use},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return {words[0], words[1]};
}

constexpr std::uint32_t kCentres = 0;
constexpr std::uint32_t kItems = 1;

/// The patches along one side of an image in which a centre is one colour.
constexpr int kPatches = 4;

/// The cells of a centre: as many patches as there are, at most a pixel each.
Shape patches_of(Shape input) {
  return {input.channels, std::min(input.height, kPatches), std::min(input.width, kPatches)};
}

/// Writes the centre to `row`, each of its patches over the pixels that it covers.
void spread_patches(std::span<const float> centre, Shape patches, Shape input,
                    std::span<float> row) {
  std::size_t at = 0;
  for (int channel = 0; channel < input.channels; ++channel) {
    for (int y = 0; y < input.height; ++y) {
      const int line = channel * patches.height + y * patches.height / input.height;
      for (int x = 0; x < input.width; ++x) {
        const int patch = line * patches.width + x * patches.width / input.width;
        row[at++] = centre[static_cast<std::size_t>(patch)];
      }
    }
  }
}

}  // namespace

void GaussianMixture::describe(Description<GaussianMixture>& d) {
  d.optional("separation", &GaussianMixture::separation,
             "distance between two classes' centres, in standard deviations of the noise")
      .above(0);
}

void GaussianMixture::draw(const Shape& input, int classes, std::uint64_t seed, int worker,
                           std::int64_t step, std::span<float> inputs,
                           std::span<std::int32_t> labels) const {
  const auto elements = static_cast<std::size_t>(input.elements());
  assert(classes > 0 && inputs.size() == elements * labels.size());
  const PhiloxKey centres = derived_key(seed, kCentres, 0, 0);
  const PhiloxKey items = derived_key(seed, kItems, static_cast<std::uint32_t>(worker),
                                      static_cast<std::uint64_t>(step));
  // Two centres differ by a normal of variance 2 in each element.
  const auto spread =
      static_cast<float>(separation / std::sqrt(2.0 * static_cast<double>(elements)));
  const Shape patches = patches_of(input);
  std::vector<float> centre(static_cast<std::size_t>(patches.elements()));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto item = static_cast<std::uint32_t>(i);
    const std::uint64_t word = philox({0, item, 1, 0}, items)[0];  // the noise has a 0 for the 1
    labels[i] = static_cast<std::int32_t>(word * static_cast<std::uint32_t>(classes) >> 32);
    // A centre is drawn again for each item: cheaper than it is to keep them all.
    std::fill(centre.begin(), centre.end(), 0.0f);
    add_normal(centre, spread, centres, static_cast<std::uint32_t>(labels[i]));
    const std::span<float> row = inputs.subspan(i * elements, elements);
    spread_patches(centre, patches, input, row);
    add_normal(row, 1.0f, items, item);
  }
}

}  // namespace paceline
