// SPDX-License-Identifier: MIT
/// \file
/// Where training items come from. A draw is a pure function: item i of (seed, worker, step) is
/// always the same, in any order of calls and on any machine of the same floating point.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "experiments/family.hpp"
#include "models/network.hpp"

namespace paceline {

/// A source of items of any shape, each with a target: the index of its class, or the value to
/// predict. Immutable to its users, who may be many threads.
struct Dataset {
  virtual ~Dataset() = default;
  /// Draws the mini-batch of a worker's step: targets.size() items of `input` elements each, in
  /// `inputs` row after row. `step` counts the mini-batches that the worker has begun.
  virtual void draw(const Shape& input, int classes, std::uint64_t seed, int worker,
                    std::int64_t step, std::span<float> inputs, std::span<float> targets) const = 0;
  /// Held-out items: block `block` of targets.size() items that no worker trains on. By default
  /// the draws of a worker whom no experiment has.
  virtual void held_out(const Shape& input, int classes, std::uint64_t seed, std::int64_t block,
                        std::span<float> inputs, std::span<float> targets) const;
  /// The expected loss of `weights` over all items there could be, where it is known exactly.
  virtual std::optional<double> exact_loss(const Network& network, std::uint64_t seed,
                                           std::span<const float> weights) const;
  /// The least expected loss that any weights have, where that is known; else 0.
  virtual double optimal_loss() const;
  /// "" or why the dataset cannot train this network. By default its items are plain numbers and
  /// its targets are classes.
  virtual std::string unfit(const Network& network) const;
};

const Family<Dataset>& table_of(const Dataset*);

/// The kind of dataset that a network learns unless the experiment says another.
std::string default_dataset(const Network& network);

}  // namespace paceline
