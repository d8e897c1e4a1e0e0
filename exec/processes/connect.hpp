// SPDX-License-Identifier: MIT
/// \file
/// Connects to another process of the group and authenticates both ends.
#pragma once
#include <chrono>
#include <memory>
#include <span>

#include "exec/processes/connection.hpp"
#include "exec/processes/endpoint.hpp"
#include "exec/processes/secret.hpp"

namespace paceline {

/// One of the two ends does not know the secret of the other.
struct WrongSecret : ConnectionError {
  using ConnectionError::ConnectionError;
};

/// Connects to the first of these addresses that answers. Retries until `until`, since the other
/// process may not listen yet. Throws ConnectionError; throws WrongSecret at once, without a retry.
Connection connect_to(const std::shared_ptr<EventLoop>& loop, std::span<const Endpoint> to,
                      const Secret& secret, std::chrono::steady_clock::time_point until);

}  // namespace paceline
