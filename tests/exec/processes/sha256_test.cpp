// SPDX-License-Identifier: MIT
#include "exec/processes/sha256.hpp"

#include <string>

#include <gtest/gtest.h>

#include "exec/processes/secret.hpp"

namespace paceline {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string hash_of(const std::string& text) {
  return to_hex(sha256(bytes_of(text)));
}

// NIST, Cryptographic Standards and Guidelines, Example Values: SHA-256; and CAVP's short messages.
TEST(Sha256Test, NistVectors) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmno"
                    "pqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hash_of("\xbd"), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
  EXPECT_EQ(hash_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Lengths around which the padding needs one more block.
TEST(Sha256Test, PaddingAtTheEndsOfBlocks) {
  EXPECT_EQ(hash_of(std::string(55, 0)),
            "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  EXPECT_EQ(hash_of(std::string(56, 0)),
            "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  EXPECT_EQ(hash_of(std::string(64, 0)),
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

// RFC 4231, test cases 1, 2, 3 and 6.
TEST(HmacSha256Test, Rfc4231Vectors) {
  const auto hmac = [](const std::string& key, const std::string& text) {
    return to_hex(hmac_sha256(bytes_of(key), bytes_of(text)));
  };
  EXPECT_EQ(hmac(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac(std::string(20, '\xaa'), std::string(50, '\xdd')),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(
      hmac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Sha256Test, EveryByteCountsInAComparison) {
  const Digest digest = sha256({});
  EXPECT_TRUE(equal_in_constant_time(digest, sha256({})));
  for (std::size_t i = 0; i < digest.size(); ++i) {
    Digest other = digest;
    other[i] ^= std::byte{1};
    EXPECT_FALSE(equal_in_constant_time(digest, other)) << i;
  }
}

}  // namespace
}  // namespace paceline
