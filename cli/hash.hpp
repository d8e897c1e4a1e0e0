// SPDX-License-Identifier: MIT
/// \file
/// A 128-bit hash for file names, based on FNV-1a; the same on every machine. Not cryptographic.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace paceline {

class Hash {
 public:
  /// Adds a text. The boundaries between texts affect the hash.
  Hash& add(std::string_view text);
  Hash& add(double number);
  /// 32 hexadecimal digits.
  std::string text() const;

 private:
  void byte(unsigned char value);
  // Offset basis and prime of the 64-bit FNV-1a (Fowler, Noll, Vo); the second lane has another
  // start value.
  std::uint64_t first_ = 0xcbf29ce484222325;
  std::uint64_t second_ = 0x84222325cbf29ce4;
};

}  // namespace paceline
