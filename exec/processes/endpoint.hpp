// SPDX-License-Identifier: MIT
/// \file
/// The address at which a process listens: a host and a port.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace paceline {

struct Endpoint {
  std::string host;  ///< a name or an IP address; "" to listen on all network cards
  std::uint16_t port = 0;
};
/// "HOST:PORT", "[::1]:PORT".
std::string to_string(const Endpoint& endpoint);
/// Reads "HOST:PORT"; empty for any other text.
std::optional<Endpoint> read_endpoint(const std::string& text);
/// True if only processes of the same computer can reach it: localhost or a loopback address.
bool is_loopback(const Endpoint& endpoint);
/// The address at which a process listens that others reach at `known`: `known` if it is an IP
/// address or localhost, otherwise all network cards, because a computer often resolves its own
/// name to the loopback.
Endpoint to_listen_at(const Endpoint& known);

/// The reason why a host cannot be resolved; "" if it can.
std::string unresolved(const Endpoint& endpoint);

/// This computer's IPv4 addresses; those of the loopback last.
std::vector<std::string> own_addresses();

}  // namespace paceline
