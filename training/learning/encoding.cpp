// SPDX-License-Identifier: MIT
#include "training/learning/encoding.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "training/runtime/assertion.hpp"

namespace paceline {
namespace {

using Half = Eigen::half;
static_assert(sizeof(Half) == 2);

// Words are copied as bytes: they hold no numbers, and some bit patterns would not survive as such.
template <class Value>
Value get(const void* words, std::size_t index) {
  Value value{};
  std::memcpy(&value, static_cast<const std::byte*>(words) + index * sizeof(Value), sizeof(Value));
  return value;
}
template <class Value>
void put(void* words, std::size_t index, const Value& value) {
  std::memcpy(static_cast<std::byte*>(words) + index * sizeof(Value), &value, sizeof(Value));
}

// ---- halves

void encode_halves(std::span<float> words, std::span<const float> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) put(words.data(), i, Half(numbers[i]));
  if (numbers.size() % 2 != 0) put(words.data(), numbers.size(), Half(0));
}

void decode_halves(std::span<float> into, std::span<const float> words, float factor, bool fresh) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    const float value = factor * static_cast<float>(get<Half>(words.data(), i));
    into[i] = fresh ? value : into[i] + value;
  }
}

// ---- the largest numbers. Aji & Heafield 2017; Lin et al. 2018

/// Orders numbers by magnitude, whatever they are.
std::uint32_t magnitude(float number) {
  return std::bit_cast<std::uint32_t>(number) & 0x7fffffffU;
}

/// The magnitude that `kept` numbers reach or exceed.
std::uint32_t threshold(std::span<const float> numbers, std::size_t kept) {
  std::vector<std::uint32_t> magnitudes(numbers.size());
  std::transform(numbers.begin(), numbers.end(), magnitudes.begin(), magnitude);
  const auto last = magnitudes.begin() + static_cast<std::ptrdiff_t>(kept - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end(), std::greater<>());
  return *last;
}

/// Of numbers of the threshold's magnitude, the first are kept.
void encode_largest(std::span<float> words, std::span<float> sum, std::size_t kept) {
  const std::uint32_t least = threshold(sum, kept);
  auto ties = static_cast<std::size_t>(kept);
  for (const float number : sum) ties -= magnitude(number) > least ? 1 : 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::uint32_t mine = magnitude(sum[i]);
    if (mine < least || (mine == least && ties == 0)) continue;
    if (mine == least) --ties;
    put(words.data(), 2 * at, static_cast<std::uint32_t>(i));
    put(words.data(), 2 * at + 1, std::exchange(sum[i], 0.0F));
    ++at;
  }
}

void decode_largest(std::span<float> into, std::span<const float> words, float factor) {
  for (std::size_t at = 0; at < words.size() / 2; ++at) {
    const auto index = get<std::uint32_t>(words.data(), 2 * at);
    PACELINE_ASSERT(index < into.size());
    into[index] += factor * get<float>(words.data(), 2 * at + 1);
  }
}

// ---- signs. Seide et al. 2014

void encode_signs(std::span<float> words, std::span<float> sum) {
  double sums[2] = {0, 0};
  double counts[2] = {0, 0};
  for (const float number : sum) {
    const std::size_t negative = number < 0 ? 1 : 0;
    sums[negative] += number;
    counts[negative] += 1;
  }
  float means[2];
  for (std::size_t sign = 0; sign < 2; ++sign) {
    means[sign] = static_cast<float>(sums[sign] / std::max(1.0, counts[sign]));
    put(words.data(), sign, means[sign]);
  }
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::size_t negative = sum[i] < 0 ? 1 : 0;
    bits |= static_cast<std::uint32_t>(negative) << i % 32;
    sum[i] -= means[negative];
    if (i % 32 == 31 || i + 1 == sum.size()) put(words.data(), 2 + i / 32, std::exchange(bits, 0));
  }
}

void decode_signs(std::span<float> into, std::span<const float> words, float factor) {
  const float means[2] = {factor * words[0], factor * words[1]};
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] += means[get<std::uint32_t>(words.data(), 2 + i / 32) >> i % 32 & 1U];
  }
}

// ---- rows of a table

/// The numbers of a table's row that are in `numbers`.
template <class Numbers>
Numbers part_of_row(const GradientCodec& codec, Numbers numbers, std::int64_t row) {
  const std::int64_t begin = std::max<std::int64_t>(0, row * codec.width - codec.phase);
  const std::int64_t end = std::min<std::int64_t>(static_cast<std::int64_t>(numbers.size()),
                                                  (row + 1) * codec.width - codec.phase);
  return numbers.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

void encode_rows(const GradientCodec& codec, std::span<float> words,
                 std::span<const float> numbers) {
  const auto width = static_cast<std::size_t>(codec.width);
  const std::int64_t rows = codec.rows_of(static_cast<std::int64_t>(numbers.size()));
  std::uint32_t count = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::span<const float> part = part_of_row(codec, numbers, row);
    if (std::ranges::all_of(part, [](float number) { return number == 0; })) continue;
    const std::size_t at = 1 + count++ * (1 + width);
    PACELINE_ASSERT(at + 1 + width <= words.size());
    put(words.data(), at, static_cast<std::uint32_t>(row));
    std::ranges::copy(part, words.begin() + static_cast<std::ptrdiff_t>(at + 1));
  }
  put(words.data(), 0, count);
}

void decode_rows(const GradientCodec& codec, std::span<float> into, std::span<const float> words,
                 float factor) {
  const auto count = get<std::uint32_t>(words.data(), 0);
  const auto width = static_cast<std::size_t>(codec.width);
  const std::int64_t rows = codec.rows_of(static_cast<std::int64_t>(into.size()));
  PACELINE_ASSERT(1 + count * (1 + width) <= words.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t at = 1 + i * (1 + width);
    const auto row = get<std::uint32_t>(words.data(), at);
    PACELINE_ASSERT(row < rows);
    const std::span<float> part = part_of_row(codec, into, row);
    for (std::size_t j = 0; j < part.size(); ++j) part[j] += factor * words[at + 1 + j];
  }
}

}  // namespace

void encode(const GradientCodec& codec, std::span<float> words, std::span<const float> numbers,
            std::span<float> residual) {
  if (codec.kind == GradientCodec::Kind::fp16) return encode_halves(words, numbers);
  if (codec.kind == GradientCodec::Kind::rows) return encode_rows(codec, words, numbers);
  PACELINE_ASSERT(residual.size() == numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) residual[i] += numbers[i];
  if (codec.kind == GradientCodec::Kind::top_k) {
    encode_largest(words, residual, words.size() / 2);
  } else {
    encode_signs(words, residual);
  }
}

void decode(const GradientCodec& codec, std::span<float> into, std::span<const float> words,
            float factor, bool fresh) {
  if (codec.kind == GradientCodec::Kind::fp16) return decode_halves(into, words, factor, fresh);
  if (fresh) std::fill(into.begin(), into.end(), 0.0F);
  if (codec.kind == GradientCodec::Kind::top_k) {
    decode_largest(into, words, factor);
  } else if (codec.kind == GradientCodec::Kind::rows) {
    decode_rows(codec, into, words, factor);
  } else {
    decode_signs(into, words, factor);
  }
}

void add_halves(std::span<float> into, std::span<const float> from) {
  for (std::size_t i = 0; i < 2 * into.size(); ++i) {
    put(into.data(), i, get<Half>(into.data(), i) + get<Half>(from.data(), i));
  }
}

}  // namespace paceline
