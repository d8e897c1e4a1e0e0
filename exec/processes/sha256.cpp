// SPDX-License-Identifier: MIT
#include "exec/processes/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace paceline {
namespace {

constexpr std::size_t kBlock = 64;   // bytes
constexpr std::size_t kLength = 8;   // bytes of the message's length at the end of the padding
constexpr std::size_t kRounds = 64;  // of one block

using State = std::array<std::uint32_t, 8>;

// FIPS 180-4, 5.3.3: fractional parts of the square roots of the first 8 primes.
constexpr State kInitial{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
// FIPS 180-4, 4.2.2: fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, kRounds> kConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void compress(State& state, const std::byte* block) {
  std::array<std::uint32_t, kRounds> w{};
  for (std::size_t i = 0; i < std::size_t{4} * 16; ++i) {
    w[i / 4] = w[i / 4] << 8 | std::to_integer<std::uint32_t>(block[i]);
  }
  for (std::size_t t = 16; t < kRounds; ++t) {
    const std::uint32_t a = w[t - 15];
    const std::uint32_t b = w[t - 2];
    w[t] = w[t - 16] + w[t - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < kRounds; ++t) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const State added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

Digest sha256(std::span<const std::byte> message) {
  // the message, a one bit, zeros up to a whole block, the length in bits
  std::vector<std::byte> padded(message.begin(), message.end());
  padded.push_back(std::byte{0x80});
  padded.resize((padded.size() + kLength + kBlock - 1) / kBlock * kBlock);
  const std::uint64_t bits = 8 * std::uint64_t{message.size()};
  for (std::size_t i = 0; i < kLength; ++i)
    padded.rbegin()[static_cast<std::ptrdiff_t>(i)] = static_cast<std::byte>(bits >> 8 * i);
  State state = kInitial;
  for (std::size_t at = 0; at < padded.size(); at += kBlock) compress(state, padded.data() + at);
  Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::byte>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> message) {
  std::array<std::byte, kBlock> padded{};
  const Digest hashed = sha256(key);
  if (key.size() > kBlock) key = hashed;
  std::copy(key.begin(), key.end(), padded.begin());
  const auto hash = [&padded](std::byte mask, std::span<const std::byte> tail) {
    std::vector<std::byte> text;
    for (const std::byte value : padded) text.push_back(value ^ mask);
    text.insert(text.end(), tail.begin(), tail.end());
    return sha256(text);
  };
  return hash(std::byte{0x5c}, hash(std::byte{0x36}, message));
}

bool equal_in_constant_time(const Digest& a, const Digest& b) {
  std::byte difference{};
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == std::byte{};
}

}  // namespace paceline
