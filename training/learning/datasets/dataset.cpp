// SPDX-License-Identifier: MIT
#include "training/learning/datasets/dataset.hpp"

#include <limits>

#include "training/learning/datasets/cifar10.hpp"
#include "training/learning/datasets/gaussian_mixture.hpp"
#include "training/learning/datasets/least_squares.hpp"
#include "training/learning/datasets/teacher_student.hpp"
#include "training/learning/datasets/token_mixture.hpp"

namespace paceline {
namespace {

/// A worker number that no experiment has.
constexpr int kNoWorker = std::numeric_limits<int>::max();

}  // namespace

void Dataset::draw_sequences(const Shape& input, int classes, std::uint64_t seed, int worker,
                             std::int64_t step, const SequenceLengths& /*lengths*/,
                             std::span<float> inputs, std::span<float> targets) const {
  draw(input, classes, seed, worker, step, inputs, targets);
}

void Dataset::held_out_sequences(const Shape& input, int classes, std::uint64_t seed,
                                 std::int64_t block, const SequenceLengths& lengths,
                                 std::span<float> inputs, std::span<float> targets) const {
  draw_sequences(input, classes, seed, kNoWorker, block, lengths, inputs, targets);
}

void Dataset::held_out(const Shape& input, int classes, std::uint64_t seed, std::int64_t block,
                       std::span<float> inputs, std::span<float> targets) const {
  draw(input, classes, seed, kNoWorker, block, inputs, targets);
}

std::optional<double> Dataset::exact_loss(const Network& /*network*/, std::uint64_t /*seed*/,
                                          std::span<const float> /*weights*/) const {
  return {};
}

double Dataset::optimal_loss() const {
  return 0;
}

std::string Dataset::unfit(const Network& network) const {
  const bool ends_in_softmax =
      !network.layers.empty() && network.layers.back().kind == LayerKind::softmax;
  if (!ends_in_softmax) return "its targets are classes, but the network does not end in softmax";
  if (network.vocabulary() == 0) return "";
  return "its items are plain numbers, but the network reads token ids (token-mixture has those)";
}

std::string default_dataset(const Network& network) {
  return network.vocabulary() > 0 ? "token-mixture" : "gaussian-mixture";
}

const Family<Dataset>& table_of(const Dataset*) {
  static const Family<Dataset> table{
      "dataset",
      {
          variant<GaussianMixture, Dataset>("gaussian-mixture", "a cloud of points for each class"),
          variant<LeastSquares, Dataset>("least-squares",
                                         "a linear function and noise: a quadratic loss"),
          variant<TeacherStudent, Dataset>("teacher-student", "labels by a random network"),
          variant<TokenMixture, Dataset>("token-mixture",
                                         "token sequences, some tokens typical of a class"),
          variant<Cifar10, Dataset>("cifar-10", "60,000 small photographs, read from a folder"),
      }};
  return table;
}

}  // namespace paceline
