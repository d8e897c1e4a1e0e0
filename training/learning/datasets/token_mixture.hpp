// SPDX-License-Identifier: MIT
/// \file
/// Sequences of tokens in which each class has tokens of its own: data for networks that begin with
/// an embedding.
#pragma once
#include "experiments/language/share.hpp"
#include "training/learning/datasets/dataset.hpp"

namespace paceline {

/// **Does** label uniform over the classes; the token at each position is, with probability
/// `signal`, one of the class's `own` tokens, else any token of the vocabulary, all equally likely.
/// A class's own tokens are drawn from the vocabulary once, by the seed alone, so classes may share
/// some. An input is a token's id, a whole number from 0 to `vocabulary` - 1. **Parameters** the
/// network's embedding may have more tokens than `vocabulary`, not fewer. With a signal of 25 % and
/// 100 positions hardly any item is ambiguous; less signal, or more own tokens, is harder. Of
/// sequences of unequal length a share `by_length` has the class of its rank among all lengths: the
/// shortest sequences are of the first class, the longest of the last.
struct TokenMixture final : Dataset {
  int vocabulary = 1000;
  int own = 20;
  Percent signal{0.25};
  Percent by_length{0};

  static void describe(Description<TokenMixture>& d);
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override;
  void draw_sequences(const Shape& input, int classes, std::uint64_t seed, int worker,
                      std::int64_t step, const SequenceLengths& lengths, std::span<float> inputs,
                      std::span<float> targets) const override;
  bool follows_length() const override { return by_length.fraction > 0; }
  std::string unfit(const Network& network) const override;
};

}  // namespace paceline
