// SPDX-License-Identifier: MIT
// With p_b the share of the sequences with a length in bucket b and n_b the sequences of a
// mini-batch of it, a mini-batch is of bucket b with the chance (p_b / n_b) / sum of p / n: every
// sequence is then drawn equally often. The longest of n_b sequences has at most l positions with
// the chance ((F(l) - F(below)) / p_b)^n_b. Without padding a mini-batch has the mean of its
// lengths in place of the longest.
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

/// Classes of lengths in a bucket, of equal width, if mini-batches have no padding: 1 to 1024.
constexpr int kMostClasses = 1024;
int class_width(int below, int top) {
  return (top - below + kMostClasses - 1) / kMostClasses;
}

using Chances = std::vector<double>;  ///< by class

/// Of one draw from a bucket. `up_to`: by length, the share of all sequences.
Chances classes_of(const std::vector<double>& up_to, int below, int top) {
  const auto share = [&](int from, int to) {
    return up_to[static_cast<std::size_t>(to)] - up_to[static_cast<std::size_t>(from)];
  };
  const int width = class_width(below, top);
  Chances chances;
  for (int from = below; from < top; from += width) {
    chances.push_back(share(from, std::min(from + width, top)) / share(below, top));
  }
  return chances;
}

/// Of the mean of `of_one` and `of_other` draws, of which the means are distributed as `one` and
/// `other`; a mean between two classes is shared by them.
Chances combined(const Chances& one, int of_one, const Chances& other, int of_other) {
  Chances mean(one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t j = 0; j < other.size(); ++j) {
      const double at = (of_one * static_cast<double>(i) + of_other * static_cast<double>(j)) /
                        (of_one + of_other);
      const auto below = static_cast<std::size_t>(at);
      const double above = at - static_cast<double>(below);
      mean[below] += one[i] * other[j] * (1 - above);
      if (above > 0) mean[below + 1] += one[i] * other[j] * above;
    }
  }
  return mean;
}

/// Of the mean of `items` draws, by squaring.
Chances of_mean(const Chances& one, int items) {
  Chances power = one, mean;
  int of_power = 1, of_all = 0;
  for (int left = items; left > 0; left /= 2) {
    if (left % 2 == 1) {
      mean = of_all == 0 ? power : combined(mean, of_all, power, of_power);
      of_all += of_power;
    }
    if (left > 1) power = combined(power, of_power, power, of_power);
    of_power *= 2;
  }
  return mean;
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
  const int multiple = pad_to_ > 0 ? (length + pad_to_ - 1) / pad_to_ * pad_to_ : length;
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
    if (pad_to_ == 0) {
      const Chances mean = of_mean(classes_of(up_to_, bucket.below, bucket.top), bucket.items);
      const int width = class_width(bucket.below, bucket.top);
      int top = bucket.below;
      for (const double one : mean) {
        top = std::min(top + width, bucket.top);
        shapes_.push_back({bucket.items, padded(top), chance * one});
      }
      continue;
    }
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
  if (pad_to_ == 0) {
    const std::int64_t mean = (drawn.words + bucket.items - 1) / bucket.items;
    drawn.shape +=
        static_cast<std::size_t>((mean - bucket.below - 1) / class_width(bucket.below, bucket.top));
    return drawn;
  }
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
