// SPDX-License-Identifier: MIT
#include "training/learning/evaluator.hpp"

#include <algorithm>
#include <limits>

namespace paceline {
namespace {

/// Items per forward pass: enough for an efficient matrix product, few enough for deep networks.
constexpr int kBlock = 32;

}  // namespace

Evaluator::Evaluator(const Network& network, const Dataset& dataset, std::uint64_t seed, int items,
                     std::shared_ptr<const BatchLengths> lengths)
    : network_(network),
      dataset_(dataset),
      seed_(seed),
      items_(items),
      lengths_(std::move(lengths)) {}

void Evaluator::draw(Block& block, std::int64_t number) const {
  if (lengths_ == nullptr) {
    dataset_.held_out(network_.input, network_.classes, seed_, number, block.inputs, block.targets);
    return;
  }
  block.own.resize(block.targets.size());
  lengths_->draw_held_out(seed_, number, block.own);
  std::vector<double> ranks;
  for (const int own : block.own) ranks.push_back(lengths_->rank(own));
  dataset_.held_out_sequences(network_.input, network_.classes, seed_, number, {block.own, ranks},
                              block.inputs, block.targets);
}

void Evaluator::draw_blocks() {
  const int size = std::min(items_, kBlock);
  const int left = items_ % size;
  const auto elements = static_cast<std::size_t>(network_.input.elements());
  const bool uneven = lengths_ != nullptr;
  full_ = make_arithmetic(network_, size, uneven);
  if (left > 0) last_ = make_arithmetic(network_, left, uneven);
  for (int begin = 0; begin < items_; begin += size) {
    Block block;
    block.targets.resize(static_cast<std::size_t>(size));
    block.inputs.resize(block.targets.size() * elements);
    draw(block, begin / size);
    blocks_.push_back(std::move(block));
  }
  if (left == 0) return;
  blocks_.back().targets.resize(static_cast<std::size_t>(left));
  blocks_.back().inputs.resize(static_cast<std::size_t>(left) * elements);
  if (uneven) blocks_.back().own.resize(static_cast<std::size_t>(left));
}

Score Evaluator::evaluate(std::span<const float> weights) {
  if (const auto exact = dataset_.exact_loss(network_, seed_, weights)) {
    return {*exact, std::numeric_limits<double>::quiet_NaN()};
  }
  if (blocks_.empty()) draw_blocks();
  Score score;
  const int layers = static_cast<int>(network_.layers.size());
  for (const Block& block : blocks_) {
    const bool whole = block.targets.size() == blocks_.front().targets.size();
    Arithmetic& arithmetic = whole ? *full_ : *last_;
    if (lengths_ != nullptr) arithmetic.set_lengths(block.own);
    arithmetic.load(block.inputs, block.targets);
    for (int layer = 0; layer < layers; ++layer) arithmetic.forward(layer, weights);
    const double share = static_cast<double>(block.targets.size()) / static_cast<double>(items_);
    score.loss += share * arithmetic.loss();
    score.accuracy += share * arithmetic.accuracy();
  }
  return score;
}

}  // namespace paceline
