// SPDX-License-Identifier: MIT
/// \file
/// Sequences of tokens, each class with words of its own: what a network that begins with an
/// embedding can learn.
#pragma once
#include "experiments/share.hpp"
#include "training/arithmetic/dataset.hpp"

namespace paceline {

/// **Does** label uniform over the classes; each position's token is, with probability `signal`,
/// one of the class's `own` tokens and else any of the vocabulary, all equally likely. A class's
/// own tokens are drawn from the vocabulary once, by the seed alone, so classes may share some. An
/// input is a token's id, a whole number from 0 and below `vocabulary`.
/// **Parameters** the network's embedding may know more tokens than are drawn, not fewer. With a
/// signal of 25 % and 100 positions hardly an item is ambiguous; less signal, or more own tokens,
/// is harder.
struct TokenMixture final : Dataset {
  int vocabulary = 1000;
  int own = 20;
  Percent signal{0.25};

  static void describe(Description<TokenMixture>& d);
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override;
  std::string unfit(const Network& network) const override;
};

}  // namespace paceline
