// SPDX-License-Identifier: MIT
/// \file
/// Arrays in the host's memory, worked on by the thread that calls.
#pragma once
#include "training/learning/arrays.hpp"

namespace paceline {

class HostArrays final : public ArrayStore {
 public:
  SharedArray allocate(RoleId owner, std::size_t floats) override;
  void write(std::span<const float> from, const Array& to) override;
  std::vector<float> read(std::span<const float> from) const override;
  bool allocates_ahead() const override { return false; }
};

/// For any memory that the host reads and writes. Several threads may use one object.
class HostArrayWork final : public ArrayWork {
 public:
  void copy(std::span<float> to, std::span<const float> from) override;
  void assign(std::span<float> to, std::span<const float> from, float scale) override;
  void accumulate(std::span<float> into, std::span<const float> from, const Factor& factor,
                  bool fresh) override;
  void encode(const GradientCodec& codec, std::span<float> words, std::span<const float> numbers,
              std::span<float> residual) override;
  void decode(const GradientCodec& codec, std::span<float> into, std::span<const float> words,
              const Factor& factor, bool fresh) override;
  void add_halves(std::span<float> into, std::span<const float> from) override;
  void update(const Optimizer& optimizer, double rate, std::int64_t update,
              const UpdateArrays& arrays, const Factor& factor) override;
};

}  // namespace paceline
