// SPDX-License-Identifier: MIT
/// \file
/// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), for the proof of a shared secret in the
/// handshake between processes. For short inputs; the code is short rather than fast.
#pragma once
#include <array>
#include <cstddef>
#include <span>

namespace paceline {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::span<const std::byte> message);
Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> message);

/// Compares in a time that does not depend on the position of the first difference.
bool equal_in_constant_time(const Digest& a, const Digest& b);

}  // namespace paceline
