// SPDX-License-Identifier: MIT
/// \file
/// The lengths of the sequences in each worker's mini-batches. Every draw is a pure function of
/// (seed, worker, step), so all clocks compute the same positions.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "training/workload/lengths/lengths.hpp"

namespace paceline {

/// The size of a mini-batch, which its arithmetic depends on.
struct BatchShape {
  int items = 0;
  int length = 0;     ///< positions of each item, padding included; without padding their mean
  double chance = 0;  ///< that a mini-batch has this shape
  std::int64_t positions() const { return std::int64_t{items} * length; }
};

/// The figures of a mini-batch that is drawn.
struct DrawnBatch {
  std::size_t shape = 0;   ///< an index into shapes()
  std::int64_t words = 0;  ///< positions that are not padding
};

/// The properties of an experiment that its batches depend on.
struct LengthScope {
  int batch = 1;      ///< items of a mini-batch of sentences
  int positions = 1;  ///< of the network: the length that sequences are cut off at
  int least = 1;      ///< fewest positions that the network computes
  int workers = 1;
  double samples_per_epoch = 0;  ///< read where the order is sorted
};

class BatchLengths {
 public:
  BatchLengths(const Lengths& lengths, const LengthScope& scope);

  /// All shapes that a mini-batch may have, ascending by length within a bucket.
  std::span<const BatchShape> shapes() const { return shapes_; }

  /// Draws the length of each item of a mini-batch, without padding, into `lengths`. `seed` is that
  /// of the repeat (seed_of_repeat).
  DrawnBatch draw(std::uint64_t seed, int worker, std::int64_t step,
                  std::vector<int>& lengths) const;
  /// Draws `lengths.size()` sequences of any bucket, that no worker trains on.
  void draw_held_out(std::uint64_t seed, std::int64_t block, std::span<int> lengths) const;

  /// The share of sequences that are shorter, in the middle of those of equal length: in (0, 1).
  double rank(int length) const;

  // Expectations over mini-batches.
  double mean_items() const;
  double mean_positions() const;  ///< padding included
  double mean_words() const;      ///< without padding
  /// Mini-batches of a worker in an epoch; 0 where an epoch has fewer items than a round.
  std::int64_t steps_per_epoch() const { return steps_per_epoch_; }

 private:
  /// Lengths above `below`, up to `top`.
  struct Bucket {
    int below = 0, top = 0;
    int items = 0;            ///< of each of its mini-batches
    double chance_up_to = 0;  ///< that a mini-batch is of this bucket or one before
    std::size_t first_shape = 0;
  };
  double share(const Bucket& bucket) const;
  int padded(int length) const;
  void make_buckets(const Lengths& lengths);
  void make_shapes();
  const Bucket& bucket_of(std::uint64_t seed, int worker, std::int64_t step) const;
  int length_at(int below, int top, double u) const;

  LengthScope scope_;
  LengthOrder order_;
  bool same_bucket_;
  int pad_to_;
  std::vector<double> up_to_;  ///< by length, from 0: share of the sequences
  std::vector<Bucket> buckets_;
  std::vector<BatchShape> shapes_;
  std::int64_t steps_per_epoch_ = 0;
};

}  // namespace paceline
