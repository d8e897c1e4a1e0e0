// SPDX-License-Identifier: MIT
// With Q, K, V the rows of one item's positions in the channels of a head, d channels each, and the
// sums of a causal head only over the positions up to the row's own:
//   forward   P = softmax(Q K^T / sqrt(d)), row by row;  Y = P V
//   backward  dV = P^T dY;  dP = dY V^T;  dS = P o (dP - row sums of dP o P) / sqrt(d);
//             dQ = dS K;  dK = dS^T Q
#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

class Attention final : public LayerOperation {
 public:
  explicit Attention(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        value_(wiring.value),
        gradient_(wiring.gradient),
        items_(wiring.batch),
        positions_(wiring.layer.in.height),
        channels_(wiring.layer.out.channels),
        heads_(wiring.layer.heads),
        features_(channels_ / heads_),
        causal_(wiring.layer.causal),
        lengths_(wiring.lengths),
        scale_(1 / std::sqrt(static_cast<float>(features_))),
        shares_(static_cast<std::size_t>(items_ * heads_), Matrix(positions_, positions_)) {}

  void forward(const float* /*weights*/) override {
    for_each_head([this](int item, int head, Matrix& shares) {
      shares.noalias() = part(input_.value, item, head, 0) *
                         part(input_.value, item, head, 1).transpose() * scale_;
      const int own =
          lengths_ == nullptr ? positions_ : (*lengths_)[static_cast<std::size_t>(item)];
      for (int row = 0; row < positions_; ++row) take_softmax(shares, row, own);
      output(value_, item, head).noalias() = shares * part(input_.value, item, head, 2);
    });
  }

  void backward(const float* /*weights*/, float* /*gradient*/) override {
    if (!input_.gradient) return;
    for_each_head([this](int item, int head, Matrix& shares) {
      const Rows above = output(gradient_, item, head);
      part(input_.landing, item, head, 2).noalias() = shares.transpose() * above;
      scores_.noalias() = above * part(input_.value, item, head, 2).transpose();
      const Eigen::VectorXf sums = scores_.cwiseProduct(shares).rowwise().sum();
      scores_ = ((scores_.colwise() - sums).cwiseProduct(shares) * scale_).eval();
      part(input_.landing, item, head, 0).noalias() = scores_ * part(input_.value, item, head, 1);
      part(input_.landing, item, head, 1).noalias() =
          scores_.transpose() * part(input_.value, item, head, 0);
    });
    input_.land();
  }

 private:
  template <class Work>
  void for_each_head(const Work& work) {
    for (int item = 0; item < items_; ++item) {
      for (int head = 0; head < heads_; ++head)
        work(item, head, shares_[static_cast<std::size_t>(item * heads_ + head)]);
    }
  }
  /// Queries (0), keys (1) or values (2).
  Rows part(const dnnl::memory& tensor, int item, int head, int which) const {
    const int row = 3 * channels_;
    float* first = floats(tensor) + std::int64_t{item} * positions_ * row;
    return {first + which * channels_ + head * features_, positions_, features_,
            Eigen::OuterStride<>(row)};
  }
  Rows output(const dnnl::memory& tensor, int item, int head) const {
    float* first = floats(tensor) + std::int64_t{item} * positions_ * channels_;
    return {first + head * features_, positions_, features_, Eigen::OuterStride<>(channels_)};
  }
  /// `own`: the item's positions that are not padding, the only ones that a row sees.
  void take_softmax(Matrix& shares, int row, int own) const {
    const int seen = causal_ ? std::min(row + 1, own) : own;
    auto scores = shares.row(row).head(seen).array();
    scores = (scores - scores.maxCoeff()).exp();
    scores /= scores.sum();
    shares.row(row).tail(positions_ - seen).setZero();
  }

  InputTensors input_;
  dnnl::memory value_, gradient_;
  int items_, positions_, channels_, heads_, features_;
  bool causal_;
  const std::vector<int>* lengths_;  ///< by item; null: all positions are its own
  float scale_;
  std::vector<Matrix> shares_;  ///< by item and head: of each position in each
  Matrix scores_;
};

}  // namespace

std::unique_ptr<LayerOperation> make_attention(const Wiring& wiring) {
  return std::make_unique<Attention>(wiring);
}

}  // namespace paceline
