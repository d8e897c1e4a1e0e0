// SPDX-License-Identifier: MIT
/// \file
/// The first bytes of every connection, before any frame: each end proves that it knows the group's
/// secret, for a challenge of the other end. All lengths are fixed.
///
///     accepting end   { kProtocol, a nonce }
///     connecting end  { a nonce, its proof }
///     accepting end   { its proof }, or other bytes if it rejects the proof that it got
///
/// The proofs keep strangers out. They neither encrypt later bytes nor detect their modification.
#pragma once
#include <string>

#include "exec/processes/secret.hpp"

namespace paceline {

struct Challenge {
  static constexpr std::array<char, 8> kProtocol{'p', 'a', 'c', 'e', 'l', 'n', ' ', '2'};
  std::array<char, 8> protocol = kProtocol;
  Nonce nonce{};
};

struct Response {
  Nonce nonce{};
  Digest proof{};
};

/// The correct proofs of both ends for these nonces.
struct Proofs {
  Digest connecting, accepting;
  Proofs(const Secret& secret, const Nonce& of_accepting, const Nonce& of_connecting)
      : connecting(secret.proof(Secret::End::connecting, of_accepting, of_connecting)),
        accepting(secret.proof(Secret::End::accepting, of_accepting, of_connecting)) {}
};

}  // namespace paceline
