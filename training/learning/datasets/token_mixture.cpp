// SPDX-License-Identifier: MIT
#include "training/learning/datasets/token_mixture.hpp"

#include <algorithm>
#include <cassert>

#include "models/limits.hpp"
#include "training/learning/datasets/draw_key.hpp"

namespace paceline {
namespace {

/// The number of an item that is drawn besides its label; see draw_below.
constexpr std::uint32_t kTokens = 2;
constexpr std::uint32_t kFollows = 3;

}  // namespace

void TokenMixture::describe(Description<TokenMixture>& d) {
  d.optional("vocabulary", &TokenMixture::vocabulary, "number of distinct tokens")
      .at_least(2)
      .at_most(kMostVocabulary);
  d.optional("own", &TokenMixture::own, "tokens specific to each class")
      .at_least(1)
      .at_most(kMostVocabulary);
  d.optional("signal", &TokenMixture::signal,
             "share of an item's tokens that are specific to its class")
      .at_least(Percent{0})
      .at_most(Percent{1});
  d.optional(
       "by_length", &TokenMixture::by_length,
       "share of the sequences that have the class of their length, with `lengths`: short ones "
       "are of the first classes")
      .at_least(Percent{0})
      .at_most(Percent{1});
}

void TokenMixture::draw(const Shape& input, int classes, std::uint64_t seed, int worker,
                        std::int64_t step, std::span<float> inputs,
                        std::span<float> targets) const {
  draw_sequences(input, classes, seed, worker, step, {}, inputs, targets);
}

void TokenMixture::draw_sequences(const Shape& input, int classes, std::uint64_t seed, int worker,
                                  std::int64_t step, const SequenceLengths& lengths,
                                  std::span<float> inputs, std::span<float> targets) const {
  const auto positions = static_cast<std::size_t>(input.elements());
  assert(classes > 0 && inputs.size() == positions * targets.size());
  const PhiloxKey truth = draw_key(seed, DrawUse::truth);
  const PhiloxKey items = draw_key(seed, DrawUse::items, worker, step);
  const auto tokens = static_cast<std::uint32_t>(vocabulary);
  const auto threshold = static_cast<std::uint64_t>(signal.fraction * 0x1p32);
  const auto below = [](std::uint32_t count, std::uint32_t word) {
    return static_cast<std::uint32_t>(std::uint64_t{word} * count >> 32);
  };
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto item = static_cast<std::uint32_t>(i);
    const bool follows = !lengths.ranks.empty() &&
                         philox({0, item, kFollows, 0}, items)[0] < by_length.fraction * 0x1p32;
    const std::uint32_t label = follows
                                    ? static_cast<std::uint32_t>(lengths.ranks[i] * classes)
                                    : draw_below(static_cast<std::uint32_t>(classes), items, item);
    targets[i] = static_cast<float>(label);
    const std::span<float> row = inputs.subspan(i * positions, positions);
    const auto kept = lengths.own.empty() ? positions : static_cast<std::size_t>(lengths.own[i]);
    std::ranges::fill(row.subspan(kept), 0.0F);
    for (std::size_t at = 0; at < kept; ++at) {
      // A draw gives two tokens. Each has two words: one decides whether the token is one of the
      // class's own, the other which token it is.
      const auto pair = static_cast<std::uint32_t>(at / 2);
      const PhiloxCounter words = philox({pair, item, kTokens, 0}, items);
      const std::uint32_t which = words[at % 2 * 2 + 1];
      const bool is_own = words[at % 2 * 2] < threshold;
      const std::uint32_t token =
          is_own
              ? draw_below(tokens, truth, label, 1 + below(static_cast<std::uint32_t>(own), which))
              : below(tokens, which);
      row[at] = static_cast<float>(token);
    }
  }
}

std::string TokenMixture::unfit(const Network& network) const {
  const int known = network.vocabulary();
  if (known == 0)
    return "its items are token ids, but the network does not begin with an embedding";
  if (network.layers.back().kind != LayerKind::softmax) return Dataset::unfit(network);
  if (known >= vocabulary) return "";
  return "its vocabulary is " + std::to_string(vocabulary) + ", but the network's embedding has " +
         std::to_string(known) + " (set 'vocabulary')";
}

}  // namespace paceline
