// SPDX-License-Identifier: MIT
/// \file
/// How a gradient is written in fewer bytes. Encoded, it stands in an array of 4-byte words.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace paceline {

struct GradientCodec {
  enum class Kind : std::uint8_t {
    none,
    fp16,     ///< two halves a word
    top_k,    ///< the largest numbers: the place of each, then its value
    one_bit,  ///< the mean of the positive numbers, that of the negative ones, a bit for each
    rows,     ///< of an embedding's table: how many are not zero, and the place and numbers of each
  };
  Kind kind = Kind::none;
  float share = 1;         ///< of the numbers that top_k keeps
  std::int32_t width = 0;  ///< rows: numbers of a row
  std::int32_t most = 0;   ///< rows that are not zero at most
  std::int32_t phase = 0;  ///< numbers of the first row that come before what is encoded

  explicit operator bool() const { return kind != Kind::none; }
  /// Whether encoded numbers can be added as they are.
  bool adds() const { return kind == Kind::fp16; }
  /// Whether the error of one encoding is added to the next gradient (error feedback).
  bool feeds_back() const { return kind == Kind::top_k || kind == Kind::one_bit; }

  /// Of `numbers`, those that top_k keeps: the nearest number to the share, at least one.
  std::int64_t kept(std::int64_t numbers) const {
    const double exact = static_cast<double>(share) * static_cast<double>(numbers);
    return std::min(numbers, std::max<std::int64_t>(1, std::llround(exact)));
  }
  /// Of `numbers`, the rows that they are parts of.
  std::int64_t rows_of(std::int64_t numbers) const { return (phase + numbers + width - 1) / width; }
  /// Words of `numbers` encoded numbers.
  std::int64_t words(std::int64_t numbers) const {
    switch (kind) {
      case Kind::fp16:
        return (numbers + 1) / 2;
      case Kind::top_k:
        return 2 * kept(numbers);
      case Kind::one_bit:
        return 2 + (numbers + 31) / 32;
      case Kind::rows:
        return 1 + std::min<std::int64_t>(most, rows_of(numbers)) * (1 + width);
      case Kind::none:
        break;
    }
    return numbers;
  }

  /// Words that encoding `numbers` reads and writes in memory for each. top_k: the sum with the
  /// residual, four passes of a radix selection by eight bits each, and one that writes. one_bit:
  /// the sum with the residual, a pass for the means and one for the bits and the residual.
  double encode_traffic(std::int64_t numbers) const {
    switch (kind) {
      case Kind::fp16:
        return 1.5;
      case Kind::top_k:
        return 3 + 4 + 1 + 3.0 * share;
      case Kind::one_bit:
        return 3 + 1 + 2 + 1.0 / 32;
      case Kind::rows:
        return 1 + filled(numbers);
      case Kind::none:
        break;
    }
    return 0;
  }
  /// The same of decoding; `fresh`: into an array that is overwritten.
  double decode_traffic(std::int64_t numbers, bool fresh) const {
    switch (kind) {
      case Kind::fp16:
        return 0.5 + (fresh ? 1 : 2);
      case Kind::top_k:
        return (fresh ? 1 : 0) + 4.0 * share;
      case Kind::one_bit:
        return 1.0 / 32 + (fresh ? 1 : 2);
      case Kind::rows:
        return (fresh ? 1 : 0) + 3 * filled(numbers);
      case Kind::none:
        break;
    }
    return 0;
  }

 private:
  /// Words of rows for each number.
  double filled(std::int64_t numbers) const {
    return static_cast<double>(words(numbers)) /
           static_cast<double>(std::max<std::int64_t>(1, numbers));
  }
};

}  // namespace paceline
