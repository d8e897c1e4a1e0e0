// SPDX-License-Identifier: MIT
#include "training/arithmetic/dataset.hpp"

#include "training/arithmetic/datasets/gaussian_mixture.hpp"

namespace paceline {

const Family<Dataset>& table_of(const Dataset*) {
  static const Family<Dataset> table{
      "dataset",
      {
          variant<GaussianMixture, Dataset>("gaussian-mixture", "a cloud of points for each class"),
      }};
  return table;
}

}  // namespace paceline
