// SPDX-License-Identifier: MIT
/// \file
/// One cloud of points per class: the simplest data that a network can learn, in any shape.
#pragma once
#include <vector>

#include "training/learning/datasets/dataset.hpp"
#include "training/learning/datasets/truth_cache.hpp"
#include "training/workload/random/philox.hpp"

namespace paceline {

/// **Does** label uniform over the classes; input = the class's centre + standard normal noise. The
/// centres are normal too, scaled so that two of them lie `separation` apart (root mean square),
/// and depend on the seed alone: every worker draws from the same mixture. In an image, each
/// channel of a centre is a pattern of 4 x 4 patches, because convolutions see neighbourhoods and
/// not single pixels. **Parameters** at a separation of 6 about one item in a hundred of ten
/// classes is ambiguous; convolutions followed by an average over the image need 20.
struct GaussianMixture final : Dataset {
  double separation = 6;

  static void describe(Description<GaussianMixture>& d);
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override;

 private:
  /// Appends the centre of one class, one float per element.
  void append_centre(const Shape& input, PhiloxKey key, std::uint32_t label,
                     std::vector<float>& centres) const;

  TruthCache<std::vector<float>> centres_;  ///< of all classes, row by row; none if too large
};

}  // namespace paceline
