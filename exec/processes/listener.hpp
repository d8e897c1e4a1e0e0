// SPDX-License-Identifier: MIT
/// \file
/// Accepts the connections of a group's other processes on a port. Strangers do not pass the
/// handshake: all handshakes run concurrently on the loop's thread, with one deadline for each, and
/// their number is bounded.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "exec/processes/connection.hpp"
#include "exec/processes/endpoint.hpp"
#include "exec/processes/secret.hpp"

namespace paceline {

/// An authenticated connection and its first frame, which states the purpose.
struct Accepted {
  Connection connection;
  Frame hello;
};

class Listener {
 public:
  /// Time limit of the handshake and the first frame together.
  static constexpr std::chrono::milliseconds kHandshakeTime{3000};
  /// Maximum number of concurrent handshakes; one more closes the oldest. Above the largest group.
  static constexpr std::size_t kMostHandshakes = 300;
  /// Maximum size of the first frame.
  static constexpr std::uint32_t kMostHelloBytes = 64U << 10;

  /// Port 0: any free port. Throws ConnectionError: "cannot listen at 10.0.0.2:7000 (...)".
  Listener(const Endpoint& at, const Secret& secret,
           std::shared_ptr<EventLoop> loop = std::make_shared<EventLoop>());
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&& other) noexcept;
  ~Listener();

  std::uint16_t port() const { return port_; }
  const std::shared_ptr<EventLoop>& loop() const { return loop_; }

  /// The next authenticated connection; empty if there is none until `until`, or after `stop`.
  std::optional<Accepted> accept(std::chrono::steady_clock::time_point until);
  /// Passes connections to `on_accepted` from now on, on the loop's thread, including queued ones.
  void accept_with(std::function<void(Accepted)> on_accepted);
  /// The number of connections that did not prove the secret.
  int rejected() const;
  /// Closes the port and all connections that are not authenticated.
  void stop();

 private:
  struct State;
  std::shared_ptr<EventLoop> loop_;
  std::shared_ptr<State> state_;
  std::uint16_t port_ = 0;
};

}  // namespace paceline
