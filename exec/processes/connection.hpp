// SPDX-License-Identifier: MIT
/// \file
/// TCP between two processes: a blocking connection, the listener that accepts one, and how to make
/// one. Nothing is delayed to be sent together (TCP_NODELAY).
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "exec/processes/frame.hpp"

namespace paceline {

/// Where a process listens.
struct Endpoint {
  std::string host;  ///< a name or a number; "" to listen everywhere
  std::uint16_t port = 0;
};
/// "HOST:PORT", "[::1]:PORT".
std::string to_string(const Endpoint& endpoint);
/// Reads "HOST:PORT"; empty where it is none.
std::optional<Endpoint> read_endpoint(const std::string& text);
/// Where a process listens that others know as `known`: a number, or localhost, is taken at its
/// word; what a computer's own name means to itself is often only the loopback, so that means
/// everywhere.
Endpoint to_listen_at(const Endpoint& known);

/// The other end has gone, or does not answer.
struct ConnectionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One end. One thread may send while another receives; who wants more takes turns.
class Connection {
 public:
  Connection() = default;
  /// Takes a connected socket over.
  explicit Connection(int socket);
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;
  ~Connection();
  bool open() const { return socket_ >= 0; }

  /// Sends both parts, one behind the other. Throws ConnectionError, as everything here does.
  void send(std::span<const std::byte> first, std::span<const std::byte> second = {});
  void send(const FrameWriter& frame) { send(frame.bytes()); }
  /// Sends unless that would have to wait; false: nothing was sent.
  bool send_now(const FrameWriter& frame);
  /// Fills `into` to its end.
  void receive(std::span<std::byte> into);
  /// Receives a frame into memory that is used again. `heard`, if any, is called for every piece of
  /// it that comes.
  void receive(Frame& frame, const std::function<void()>& heard = {});

  /// From now on a wait longer than this in which nothing moves is an error; zero: there is no
  /// limit.
  void limit_waits(std::chrono::milliseconds longest);
  /// The same of sending alone.
  void limit_sends(std::chrono::milliseconds longest);
  /// Whether the other end has closed, and has said nothing before that is still to be received.
  bool ended() const;
  /// From any thread: whoever waits for this connection, here or there, learns that it is over.
  void shut_down() noexcept;

  /// The other end: "10.0.0.2", and its port.
  std::string peer_host() const;
  std::uint16_t peer_port() const;
  /// This end: "10.0.0.1".
  std::string own_host() const;

 private:
  void receive(std::span<std::byte> into, const std::function<void()>& heard);
  int socket_ = -1;
};

/// Tells the other end why it is not served; no matter if it has gone.
void refuse(Connection& caller, const std::string& why);

/// Accepts connections on a port.
class Listener {
 public:
  /// Port 0: any that is free. Throws ConnectionError: "cannot listen at 10.0.0.2:7000 (...)".
  explicit Listener(const Endpoint& at);
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&& other) noexcept;
  ~Listener();

  std::uint16_t port() const { return port_; }
  /// The next connection; empty when none came in time, or after `stop`.
  std::optional<Connection> accept(std::chrono::milliseconds longest);
  /// From any thread: `accept` waits no longer.
  void stop() noexcept;

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

/// Connects to the first of these addresses that answers, trying again until `until`: the other
/// side may not listen yet.
Connection connect_to(std::span<const Endpoint> to, std::chrono::steady_clock::time_point until);

/// This computer's addresses, as numbers, those that others can reach first.
std::vector<std::string> own_addresses();

}  // namespace paceline
