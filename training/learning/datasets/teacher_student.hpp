// SPDX-License-Identifier: MIT
/// \file
/// Labels given by another network: harder to learn than Gaussian clouds, by an adjustable amount.
#pragma once
#include <vector>

#include "experiments/language/share.hpp"
#include "training/learning/datasets/dataset.hpp"
#include "training/learning/datasets/truth_cache.hpp"

namespace paceline {

/// **Does** inputs standard normal; label = the most probable class of a teacher, a random network
/// of `hidden` units that follows from the seed. A unit is softsign, x / (1 + |x|), which is odd,
/// so that no class is favoured, and gives the same result on any machine. The weights are normal,
/// those of the first layer of variance 1 / inputs; there are no biases. A share `noise` of the
/// items has a class drawn at random instead.
struct TeacherStudent final : Dataset {
  int hidden = 32;
  Percent noise{0};

  static void describe(Description<TeacherStudent>& d);
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override;

 private:
  struct Teacher {
    std::vector<float> first;   ///< [inputs x hidden], row by row
    std::vector<float> second;  ///< [hidden x classes], row by row
  };
  TruthCache<Teacher> teacher_;
};

}  // namespace paceline
