// SPDX-License-Identifier: MIT
/// \file
/// A hash that names files: 128 bits of FNV-1a, the same on every machine. Not for secrets.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace paceline {

class Hash {
 public:
  /// Adds a text; where one ends and the next begins counts.
  Hash& add(std::string_view text);
  Hash& add(double number);
  /// 32 hexadecimal digits.
  std::string text() const;

 private:
  void byte(unsigned char value);
  // Offset basis and prime of FNV-1a with 64 bits (Fowler, Noll, Vo); the second lane starts
  // elsewhere.
  std::uint64_t first_ = 0xcbf29ce484222325;
  std::uint64_t second_ = 0x84222325cbf29ce4;
};

}  // namespace paceline
