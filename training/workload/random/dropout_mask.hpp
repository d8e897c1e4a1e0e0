// SPDX-License-Identifier: MIT
/// \file
/// Selects the elements that a dropout layer keeps: a pure function of the mini-batch and the
/// element, so that backward repeats the draw of forward, and every clock draws the same. Plain
/// constexpr functions, which kernels use too.
#pragma once
#include <array>
#include <cstdint>

#include "training/workload/random/draw.hpp"

namespace paceline {

/// A dropout layer of one mini-batch.
struct DropoutDraw {
  PhiloxKey key{};           ///< the seed of the repeat (seed_of_repeat): its low and high word
  std::uint32_t worker = 0;  ///< < 2^17
  std::uint64_t step = 0;    ///< mini-batches that the worker has begun, < 2^48
  std::uint32_t layer = 0;   ///< its index in the network, < 2^15
};

/// The draw of a worker's mini-batch in the repeat of `seed` (seed_of_repeat); its layer is not
/// set.
constexpr DropoutDraw dropout_draw(std::uint64_t seed, std::uint32_t worker, std::uint64_t step) {
  return {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, worker, step, 0};
}

/// The smallest random word of an element that is kept. Requires 0 <= rate < 1.
constexpr std::uint32_t dropout_threshold(double rate) {
  return static_cast<std::uint32_t>(rate * 0x1p32);
}

/// The factor of kept elements, which preserves the mean.
constexpr float dropout_scale(double rate) {
  return static_cast<float>(1 / (1 - rate));
}

/// Whether elements 4 x `four` to 4 x `four` + 3 are kept. Elements are counted over the
/// mini-batch: item by item, pixel by pixel (or step by step of a sequence), with a pixel's
/// channels side by side, whatever the layout in memory.
constexpr std::array<bool, 4> keeps_four(const DropoutDraw& draw, std::uint32_t four,
                                         std::uint32_t threshold) {
  // The purpose is in the same bits as in every other draw of the seed, so no two share a counter.
  const std::uint32_t high = static_cast<std::uint32_t>(draw.step >> 32) |
                             static_cast<std::uint32_t>(Purpose::dropout) << 16;
  const PhiloxCounter words =
      philox({four, high, static_cast<std::uint32_t>(draw.step), draw.worker << 15 | draw.layer},
             draw.key);
  return {words[0] >= threshold, words[1] >= threshold, words[2] >= threshold,
          words[3] >= threshold};
}

/// Whether one element is kept. Requires element < 2^34.
constexpr bool keeps(const DropoutDraw& draw, std::uint64_t element, std::uint32_t threshold) {
  return keeps_four(draw, static_cast<std::uint32_t>(element / 4), threshold)[element % 4];
}

}  // namespace paceline
