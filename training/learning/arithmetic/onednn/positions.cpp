// SPDX-License-Identifier: MIT
// Operations on the positions of a sequence: a trainable vector is added to each, the first are
// kept, or their mean is taken.
#include <algorithm>
#include <functional>

#include <Eigen/Core>

#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

class Position final : public LayerOperation {
 public:
  explicit Position(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        value_(wiring.value),
        gradient_(wiring.gradient),
        size_(static_cast<std::size_t>(wiring.layer.in.elements())),
        parameters_(static_cast<std::size_t>(wiring.layer.parameters)) {}

  void forward(const float* weights) override {
    const float* x = floats(input_.value);
    for (std::size_t item = 0; item < count_floats(value_); item += size_) {
      std::transform(x + item, x + item + size_, weights, floats(value_) + item, std::plus<>());
    }
  }
  void backward(const float* /*weights*/, float* gradient) override {
    std::fill_n(gradient, parameters_, 0.0F);
    const float* above = floats(gradient_);
    const std::size_t all = count_floats(gradient_);
    for (std::size_t item = 0; item < all; item += size_) {
      std::transform(gradient, gradient + size_, above + item, gradient, std::plus<>());
    }
    if (!input_.gradient) return;
    std::copy_n(above, all, floats(input_.landing));
    input_.land();
  }

 private:
  InputTensors input_;
  dnnl::memory value_, gradient_;
  std::size_t size_;        ///< of an item
  std::size_t parameters_;  ///< as many as the longest item has
};

class Select final : public LayerOperation {
 public:
  explicit Select(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        value_(wiring.value),
        gradient_(wiring.gradient),
        items_(static_cast<std::size_t>(wiring.batch)),
        all_(static_cast<std::size_t>(wiring.layer.in.elements())),
        kept_(static_cast<std::size_t>(wiring.layer.out.elements())) {}

  void forward(const float* /*weights*/) override {
    for (std::size_t item = 0; item < items_; ++item) {
      std::copy_n(floats(input_.value) + item * all_, kept_, floats(value_) + item * kept_);
    }
  }
  void backward(const float* /*weights*/, float* /*gradient*/) override {
    if (!input_.gradient) return;
    for (std::size_t item = 0; item < items_; ++item) {
      float* to = floats(input_.landing) + item * all_;
      std::copy_n(floats(gradient_) + item * kept_, kept_, to);
      std::fill(to + kept_, to + all_, 0.0F);
    }
    input_.land();
  }

 private:
  InputTensors input_;
  dnnl::memory value_, gradient_;
  std::size_t items_, all_, kept_;
};

/// The mean of each item's own positions.
class SequenceMean final : public LayerOperation {
 public:
  explicit SequenceMean(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        value_(wiring.value),
        gradient_(wiring.gradient),
        lengths_(*wiring.lengths),
        positions_(wiring.layer.in.height),
        channels_(wiring.layer.in.channels) {}

  void forward(const float* /*weights*/) override {
    for_each_item([this](std::int64_t item, int own) {
      Eigen::Map<Eigen::RowVectorXf>(floats(value_) + item * channels_, channels_) =
          Rows(floats(input_.value) + item * positions_ * channels_, own, channels_)
              .colwise()
              .mean();
    });
  }
  void backward(const float* /*weights*/, float* /*gradient*/) override {
    if (!input_.gradient) return;
    for_each_item([this](std::int64_t item, int own) {
      Rows to(floats(input_.landing) + item * positions_ * channels_, positions_, channels_);
      const Eigen::RowVectorXf each =
          Eigen::Map<const Eigen::RowVectorXf>(floats(gradient_) + item * channels_, channels_) /
          static_cast<float>(own);
      to.topRows(own).rowwise() = each;
      to.bottomRows(positions_ - own).setZero();
    });
    input_.land();
  }

 private:
  using Rows = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  template <class Work>
  void for_each_item(const Work& work) {
    std::int64_t item = 0;
    for (const int own : lengths_) work(item++, own);
  }

  InputTensors input_;
  dnnl::memory value_, gradient_;
  const std::vector<int>& lengths_;
  std::int64_t positions_, channels_;
};

}  // namespace

std::unique_ptr<LayerOperation> make_sequence_mean(const Wiring& wiring) {
  return std::make_unique<SequenceMean>(wiring);
}

std::unique_ptr<LayerOperation> make_position(const Wiring& wiring) {
  return std::make_unique<Position>(wiring);
}

std::unique_ptr<LayerOperation> make_select(const Wiring& wiring) {
  return std::make_unique<Select>(wiring);
}

}  // namespace paceline
