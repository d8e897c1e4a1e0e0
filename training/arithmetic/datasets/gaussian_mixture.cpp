// SPDX-License-Identifier: MIT
#include "training/arithmetic/datasets/gaussian_mixture.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

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
  std::fill(inputs.begin(), inputs.end(), 0.0f);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto item = static_cast<std::uint32_t>(i);
    const std::uint64_t word = philox({0, item, 1, 0}, items)[0];  // the noise has a 0 for the 1
    labels[i] = static_cast<std::int32_t>(word * static_cast<std::uint32_t>(classes) >> 32);
    // A centre is drawn again for each item: cheaper than it is to keep them all.
    const std::span<float> row = inputs.subspan(i * elements, elements);
    add_normal(row, spread, centres, static_cast<std::uint32_t>(labels[i]));
    add_normal(row, 1.0f, items, item);
  }
}

}  // namespace paceline
