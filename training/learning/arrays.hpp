// SPDX-License-Identifier: MIT
/// \file
/// Arrays of floats that may lie in any memory, and the operations of training on them. Training
/// knows addresses only; a store allocates them and a work carries out what is to be done: at once
/// on the host, in the order of a stream on a GPU.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "training/learning/rates/update_rule.hpp"
#include "training/runtime/gradient_codec.hpp"

namespace paceline {

/// Owns floats, wherever they lie.
class Array {
 public:
  explicit Array(std::span<float> floats) : floats_(floats) {}
  virtual ~Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  /// May be read and written where the array lies, not by everyone.
  std::span<float> floats() const { return floats_; }

 private:
  std::span<float> floats_;
};
using SharedArray = std::shared_ptr<Array>;

/// Where arrays come from. Only for when no step is under way.
class ArrayStore {
 public:
  virtual ~ArrayStore() = default;
  /// Zeros, where `owner` works.
  virtual SharedArray allocate(RoleId owner, std::size_t floats) = 0;
  virtual void write(std::span<const float> from, const Array& to) = 0;
  virtual std::vector<float> read(std::span<const float> from) const = 0;
  /// Whether to allocate at the start whatever a run may come to need, since to allocate in a step
  /// would hold it up.
  virtual bool allocates_ahead() const = 0;
};

/// A factor of a gradient: `scale` x its weight, for which a staleness rule may want to know
/// |now - then|^2. That is found where the work is done.
struct Factor {
  float scale = 1;
  GradientWeight weight;
  std::span<const float> now, then;  ///< of one size; only where the rule needs the distance

  bool needs_distance() const { return weight.needs_distance(); }
  float at(double squared_distance) const { return scale * weight(squared_distance); }
};

/// Operations on arrays, in the order of the calls. All spans of a call have one size, but for
/// encoded ones.
class ArrayWork {
 public:
  virtual ~ArrayWork() = default;
  virtual void copy(std::span<float> to, std::span<const float> from) = 0;
  /// to = scale x from
  virtual void assign(std::span<float> to, std::span<const float> from, float scale) = 0;
  /// into += factor x from; `fresh`: what `into` held counts as zeros.
  virtual void accumulate(std::span<float> into, std::span<const float> from, const Factor& factor,
                          bool fresh) = 0;
  /// words = the numbers (+ `residual`) in `codec`; `residual` becomes the error, empty where the
  /// codec keeps none. The spans have the sizes that the codec says.
  virtual void encode(const GradientCodec& codec, std::span<float> words,
                      std::span<const float> numbers, std::span<float> residual) = 0;
  /// into += factor x the numbers encoded in `words`; `fresh` as above.
  virtual void decode(const GradientCodec& codec, std::span<float> into,
                      std::span<const float> words, const Factor& factor, bool fresh) = 0;
  /// into += from, of two halves a word.
  virtual void add_halves(std::span<float> into, std::span<const float> from) = 0;
  /// Update number `update` of these weights, along `factor` x the gradient, clipped as the
  /// optimizer says.
  virtual void update(const Optimizer& optimizer, double rate, std::int64_t update,
                      const UpdateArrays& arrays, const Factor& factor) = 0;
};

}  // namespace paceline
