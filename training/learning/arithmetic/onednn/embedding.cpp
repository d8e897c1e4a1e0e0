// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdexcept>

#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

/// Copies a row of the table for each position; backward adds each position's gradient to its row.
class Embedding final : public LayerOperation {
 public:
  explicit Embedding(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        value_(wiring.value),
        gradient_(wiring.gradient),
        vocabulary_(wiring.layer.vocabulary),
        features_(static_cast<std::size_t>(wiring.layer.out.channels)),
        rows_(count_floats(input_.value)) {}

  void forward(const float* weights) override {
    const float* ids = floats(input_.value);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!(ids[i] >= 0 && ids[i] < static_cast<float>(vocabulary_))) {
        throw std::invalid_argument("a token id that is not in the vocabulary");
      }
      rows_[i] = static_cast<std::size_t>(ids[i]) * features_;
      std::copy_n(weights + rows_[i], features_, floats(value_) + i * features_);
    }
  }

  void backward(const float* /*weights*/, float* gradient) override {
    std::fill_n(gradient, static_cast<std::size_t>(vocabulary_) * features_, 0.0f);
    const float* from = floats(gradient_);
    for (const std::size_t row : rows_) {  // in the order of the items: reproducible sums
      for (std::size_t k = 0; k < features_; ++k) gradient[row + k] += from[k];
      from += features_;
    }
  }

 private:
  InputTensors input_;
  dnnl::memory value_, gradient_;
  int vocabulary_;
  std::size_t features_;
  std::vector<std::size_t> rows_;  ///< where each position's row begins in the table
};

}  // namespace

std::unique_ptr<LayerOperation> make_embedding(const Wiring& wiring) {
  return std::make_unique<Embedding>(wiring);
}

}  // namespace paceline
