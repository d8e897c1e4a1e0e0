// SPDX-License-Identifier: MIT
/// \file
/// Sources of training items. A draw is a pure function: item i of (seed, worker, step) is always
/// the same, in any order of calls and on any machine with the same floating point.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "experiments/language/family.hpp"
#include "models/network.hpp"

namespace paceline {

/// The sequences of a mini-batch, of different lengths, by item.
struct SequenceLengths {
  std::span<const int> own;       ///< positions that are not padding
  std::span<const double> ranks;  ///< the share of all sequences that are shorter
};

/// A source of items of any shape, each with a target: the index of its class, or the value to
/// predict. Draws do not change it, so threads may share it.
struct Dataset {
  virtual ~Dataset() = default;
  /// Draws the mini-batch of a worker's step: targets.size() items of `input` elements each, in
  /// `inputs` row by row. `step` counts the mini-batches that the worker has begun.
  virtual void draw(const Shape& input, int classes, std::uint64_t seed, int worker,
                    std::int64_t step, std::span<float> inputs, std::span<float> targets) const = 0;
  /// The same of sequences of unequal length, padded with token 0 to the length of `input`. By
  /// default their positions are those of draw().
  virtual void draw_sequences(const Shape& input, int classes, std::uint64_t seed, int worker,
                              std::int64_t step, const SequenceLengths& lengths,
                              std::span<float> inputs, std::span<float> targets) const;
  /// Whether a sequence's class depends on its length.
  virtual bool follows_length() const { return false; }
  /// Held-out items: block `block` of targets.size() items that no worker trains on. By default the
  /// draws of a worker number that no experiment has.
  virtual void held_out(const Shape& input, int classes, std::uint64_t seed, std::int64_t block,
                        std::span<float> inputs, std::span<float> targets) const;
  void held_out_sequences(const Shape& input, int classes, std::uint64_t seed, std::int64_t block,
                          const SequenceLengths& lengths, std::span<float> inputs,
                          std::span<float> targets) const;
  /// The expected loss of `weights` over all possible items, where it is known exactly.
  virtual std::optional<double> exact_loss(const Network& network, std::uint64_t seed,
                                           std::span<const float> weights) const;
  /// The least expected loss of any weights, where it is known; else 0.
  virtual double optimal_loss() const;
  /// "" or why the dataset cannot train this network. The default is that of a dataset with plain
  /// numbers as items and classes as targets.
  virtual std::string unfit(const Network& network) const;
};

/// The block of held-out items of validation batch number `number` of a worker: each worker has
/// blocks of its own.
constexpr std::int64_t validation_block(int worker, std::int64_t number) {
  constexpr std::int64_t kOfWorker = 1 << 20;
  return (worker + 1) * kOfWorker + number % kOfWorker;
}

const Family<Dataset>& table_of(const Dataset*);

/// The kind of dataset that a network learns unless the experiment names another.
std::string default_dataset(const Network& network);

}  // namespace paceline
