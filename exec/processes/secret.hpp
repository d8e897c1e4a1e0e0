// SPDX-License-Identifier: MIT
/// \file
/// The secret that the processes of a group share. Every connection between them begins with a
/// challenge and a response that prove the secret in both directions, so that no bytes of other
/// programs are parsed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "exec/processes/sha256.hpp"

namespace paceline {

/// A number used once: 256 random bits of the kernel.
using Nonce = Digest;
Nonce random_nonce();

class Secret {
 public:
  static constexpr std::size_t kLeastBytes = 16;

  /// A random secret, unknown to all other processes.
  Secret() : key_(random_nonce()) {}
  /// All processes derive the same secret from the same text.
  explicit Secret(const std::string& text);
  /// The secret of a text that a user gives, without blanks and line breaks at its end. Throws
  /// SpecError with `source` in the message if the text has fewer than kLeastBytes bytes.
  static Secret of_text(std::string text, const std::string& source);
  /// The secret of a file's text. Throws SpecError, also if the file cannot be read.
  static Secret of_file(const std::filesystem::path& path);
  /// The secret of this user on this computer, unreadable for other users: a file in
  /// $XDG_RUNTIME_DIR or the folder of temporary files, made by the first process that needs it.
  static Secret of_user();

  /// The two ends prove the secret with different texts, so that an end cannot send back the proof
  /// of the other.
  enum class End : std::uint8_t { connecting = 'c', accepting = 'a' };
  /// The proof of one end for these challenges.
  Digest proof(End end, const Nonce& of_accepting, const Nonce& of_connecting) const;

 private:
  Digest key_;
};

/// 64 hexadecimal digits.
std::string to_hex(const Digest& digest);

}  // namespace paceline
