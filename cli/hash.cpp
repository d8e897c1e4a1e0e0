// SPDX-License-Identifier: MIT
#include "cli/hash.hpp"

#include <bit>

namespace paceline {

void Hash::byte(unsigned char value) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  first_ = (first_ ^ value) * kPrime;
  second_ = (second_ ^ static_cast<std::uint64_t>(value ^ 0xa5U)) * kPrime;
}

Hash& Hash::add(std::string_view text) {
  for (const char c : text) byte(static_cast<unsigned char>(c));
  return add(static_cast<double>(text.size()));
}

Hash& Hash::add(double number) {
  auto bits = std::bit_cast<std::uint64_t>(number);
  for (int i = 0; i < 8; ++i) {
    byte(static_cast<unsigned char>(bits & 0xffU));
    bits >>= 8U;
  }
  return *this;
}

std::string Hash::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint64_t lane : {first_, second_}) {
    for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[(lane >> shift) & 0xfU];
  }
  return out;
}

}  // namespace paceline
