// SPDX-License-Identifier: MIT
// With p_b the share of the sequences with a length in bucket b and n_b the sequences of a
// mini-batch of it, a mini-batch is of bucket b with the chance (p_b / n_b) / sum of p / n: every
// sequence is then drawn equally often. The longest of n_b sequences has at most l positions with
// the chance ((F(l) - F(below)) / p_b)^n_b.
#include "training/workload/lengths/batch_lengths.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "training/workload/random/draw.hpp"

namespace paceline {
namespace {

/// The key of the lengths of one mini-batch's items.
PhiloxKey key_of(std::uint64_t seed, int worker, std::int64_t step) {
  const auto count = static_cast<std::uint64_t>(step);
  const auto purpose = static_cast<std::uint32_t>(Purpose::length) << 16;
  const PhiloxCounter words =
      philox({static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32) | purpose,
              static_cast<std::uint32_t>(worker), 0},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return {words[0], words[1]};
}

double uniform_of_item(PhiloxKey key, std::size_t item) {
  const PhiloxCounter words = philox({static_cast<std::uint32_t>(item), 0, 0, 0}, key);
  return to_open_unit(std::uint64_t{words[1]} << 32 | words[0]);
}

}  // namespace

BatchLengths::BatchLengths(const Lengths& lengths, const LengthScope& scope)
    : scope_(scope),
      order_(lengths.order),
      same_bucket_(lengths.same_bucket),
      pad_to_(lengths.pad_to) {
  for (int length = 0; length < scope.positions; ++length) {
    up_to_.push_back(length == 0 ? 0 : lengths.distribution->share_up_to(length));
  }
  up_to_.push_back(1);  // longer sequences are cut off
  make_buckets(lengths);
  make_shapes();
  steps_per_epoch_ =
      static_cast<std::int64_t>(scope.samples_per_epoch / (mean_items() * scope.workers));
}

int BatchLengths::padded(int length) const {
  const int multiple = (length + pad_to_ - 1) / pad_to_ * pad_to_;
  return std::clamp(multiple, scope_.least, scope_.positions);
}

double BatchLengths::share(const Bucket& bucket) const {
  return up_to_[static_cast<std::size_t>(bucket.top)] -
         up_to_[static_cast<std::size_t>(bucket.below)];
}

void BatchLengths::make_buckets(const Lengths& lengths) {
  // as tensorflow/nmt, nmt/utils/iterator_utils.py: ranges of one width
  const int width = (scope_.positions + lengths.buckets - 1) / lengths.buckets;
  double sum = 0;
  for (int below = 0; below < scope_.positions; below += width) {
    Bucket bucket;
    bucket.below = below;
    bucket.top = std::min(below + width, scope_.positions);
    if (!(share(bucket) > 0)) continue;
    bucket.items = scope_.batch;
    if (lengths.batch_by == BatchBy::words) {
      const std::int64_t words = std::int64_t{scope_.batch} * scope_.positions;
      bucket.items = static_cast<int>(words / padded(bucket.top));
    }
    sum += share(bucket) / bucket.items;
    bucket.chance_up_to = sum;
    buckets_.push_back(bucket);
  }
  for (Bucket& bucket : buckets_) bucket.chance_up_to /= sum;
}

void BatchLengths::make_shapes() {
  double before = 0;
  for (Bucket& bucket : buckets_) {
    bucket.first_shape = shapes_.size();
    const double chance = bucket.chance_up_to - std::exchange(before, bucket.chance_up_to);
    double shorter = 0;
    for (int length = bucket.below + 1; length <= bucket.top; ++length) {
      const auto at = static_cast<std::size_t>(length);
      if (!(up_to_[at] > up_to_[at - 1])) continue;  // no sequence has this length
      const double within =
          (up_to_[at] - up_to_[static_cast<std::size_t>(bucket.below)]) / share(bucket);
      const double up_to = std::pow(within, bucket.items);
      if (shapes_.size() == bucket.first_shape || shapes_.back().length != padded(length)) {
        shapes_.push_back({bucket.items, padded(length), 0});
      }
      shapes_.back().chance += chance * (up_to - std::exchange(shorter, up_to));
    }
  }
}

const BatchLengths::Bucket& BatchLengths::bucket_of(std::uint64_t seed, int worker,
                                                    std::int64_t step) const {
  double u = 0;
  if (order_ == LengthOrder::sorted) {
    const double turn = same_bucket_ ? 0.5 : (worker + 0.5) / scope_.workers;
    const std::int64_t steps = std::max<std::int64_t>(1, steps_per_epoch_);
    u = (static_cast<double>(step % steps) + turn) / static_cast<double>(steps);
  } else {
    u = uniform(seed, 0, Purpose::bucket, same_bucket_ ? 0 : static_cast<std::uint32_t>(worker),
                static_cast<std::uint64_t>(step));
  }
  const auto found = std::ranges::lower_bound(buckets_, u, {}, &Bucket::chance_up_to);
  return found == buckets_.end() ? buckets_.back() : *found;
}

/// The length that a share `u` of those above `below` and up to `top` do not exceed.
int BatchLengths::length_at(int below, int top, double u) const {
  const double low = up_to_[static_cast<std::size_t>(below)];
  const double high = up_to_[static_cast<std::size_t>(top)];
  const auto first = up_to_.begin() + below + 1;
  const auto last = up_to_.begin() + top;
  return static_cast<int>(std::lower_bound(first, last, low + u * (high - low)) - up_to_.begin());
}

DrawnBatch BatchLengths::draw(std::uint64_t seed, int worker, std::int64_t step,
                              std::vector<int>& lengths) const {
  const Bucket& bucket = bucket_of(seed, worker, step);
  const PhiloxKey key = key_of(seed, worker, step);
  lengths.resize(static_cast<std::size_t>(bucket.items));
  DrawnBatch drawn;
  int longest = 0;
  for (std::size_t item = 0; item < lengths.size(); ++item) {
    lengths[item] = length_at(bucket.below, bucket.top, uniform_of_item(key, item));
    longest = std::max(longest, lengths[item]);
    drawn.words += lengths[item];
  }
  drawn.shape = bucket.first_shape;
  while (shapes_[drawn.shape].length < padded(longest)) ++drawn.shape;
  return drawn;
}

void BatchLengths::draw_held_out(std::uint64_t seed, std::int64_t block,
                                 std::span<int> lengths) const {
  constexpr int kNoWorker = std::numeric_limits<int>::max();
  const PhiloxKey key = key_of(seed, kNoWorker, block);
  for (std::size_t item = 0; item < lengths.size(); ++item) {
    lengths[item] = length_at(0, scope_.positions, uniform_of_item(key, item));
  }
}

double BatchLengths::rank(int length) const {
  const auto at = static_cast<std::size_t>(length);
  return (up_to_[at - 1] + up_to_[at]) / 2;
}

double BatchLengths::mean_items() const {
  double sum = 0;
  for (const BatchShape& shape : shapes_) sum += shape.chance * shape.items;
  return sum;
}

double BatchLengths::mean_positions() const {
  double sum = 0;
  for (const BatchShape& shape : shapes_) {
    sum += shape.chance * static_cast<double>(shape.positions());
  }
  return sum;
}

double BatchLengths::mean_words() const {
  double words = 0;
  for (std::size_t length = 1; length < up_to_.size(); ++length) {
    words += static_cast<double>(length) * (up_to_[length] - up_to_[length - 1]);
  }
  return mean_items() * words;
}

}  // namespace paceline
