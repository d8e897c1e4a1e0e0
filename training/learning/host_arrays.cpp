// SPDX-License-Identifier: MIT
#include "training/learning/host_arrays.hpp"

#include <algorithm>
#include <cstring>

#include "training/learning/encoding.hpp"

namespace paceline {
namespace {

class HostArray final : public Array {
 public:
  explicit HostArray(std::vector<float> floats) : Array(floats), floats_(std::move(floats)) {}

 private:
  std::vector<float> floats_;  // moved, its floats stay where they are
};

float value_of(const Factor& factor) {
  return factor.at(factor.needs_distance() ? squared_distance(factor.now, factor.then) : 0);
}

}  // namespace

SharedArray HostArrays::allocate(RoleId /*owner*/, std::size_t floats) {
  return std::make_shared<HostArray>(std::vector<float>(floats, 0));
}

void HostArrays::write(std::span<const float> from, const Array& to) {
  std::copy(from.begin(), from.end(), to.floats().begin());
}

std::vector<float> HostArrays::read(std::span<const float> from) const {
  return {from.begin(), from.end()};
}

void HostArrayWork::copy(std::span<float> to, std::span<const float> from) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size_bytes());
}

void HostArrayWork::assign(std::span<float> to, std::span<const float> from, float scale) {
  float* out = to.data();
  const float* in = from.data();
  for (std::size_t i = 0; i < to.size(); ++i) out[i] = scale * in[i];
}

void HostArrayWork::accumulate(std::span<float> into, std::span<const float> from,
                               const Factor& factor, bool fresh) {
  const float weight = value_of(factor);
  if (fresh) std::fill(into.begin(), into.end(), 0.0F);
  paceline::accumulate(into, from, weight);
}

void HostArrayWork::encode(const GradientCodec& codec, std::span<float> words,
                           std::span<const float> numbers, std::span<float> residual) {
  paceline::encode(codec, words, numbers, residual);
}

void HostArrayWork::decode(const GradientCodec& codec, std::span<float> into,
                           std::span<const float> words, const Factor& factor, bool fresh) {
  paceline::decode(codec, into, words, value_of(factor), fresh);
}

void HostArrayWork::add_halves(std::span<float> into, std::span<const float> from) {
  paceline::add_halves(into, from);
}

void HostArrayWork::update(const Optimizer& optimizer, double rate, std::int64_t update,
                           const UpdateArrays& arrays, const Factor& factor) {
  float scale = value_of(factor);
  if (optimizer.clip) scale = optimizer.clipped(scale, squared_norm(arrays.gradient));
  take_step(optimizer.step(rate, update), arrays, scale);
}

}  // namespace paceline
