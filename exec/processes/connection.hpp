// SPDX-License-Identifier: MIT
/// \file
/// A TCP connection between two processes, for blocking use by their threads, without delays to
/// merge packets (TCP_NODELAY). `listener.hpp` and `connect.hpp` make authenticated connections.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "exec/processes/event_loop.hpp"
#include "exec/processes/frame.hpp"

namespace paceline {

/// The other end has closed the connection or does not answer.
struct ConnectionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One end of a connection. One thread may send while another receives; concurrent senders must
/// take turns.
class Connection {
 public:
  Connection();
  /// Takes ownership of a connected socket.
  Connection(std::shared_ptr<EventLoop> loop, int socket);
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;
  ~Connection();
  bool open() const { return socket_ != nullptr; }

  /// Sends both parts in a row. Like all functions here, throws ConnectionError.
  void send(std::span<const std::byte> first, std::span<const std::byte> second = {});
  void send(const FrameWriter& frame) { send(frame.bytes()); }
  /// Sends without blocking. Returns false if the socket's buffer is full and nothing was sent. The
  /// rest of a frame that was sent in part precedes the next one.
  bool send_now(const FrameWriter& frame);
  /// Receives until `into` is full.
  void receive(std::span<std::byte> into);
  /// Receives a frame into reused memory. Calls `on_bytes`, if given, after every piece of it.
  void receive(Frame& frame, const std::function<void()>& on_bytes = {});

  /// Sets one deadline for all later calls together, whatever progress they make: when it has
  /// passed, the connection is shut down and every call fails with "ACTION failed (Connection timed
  /// out)". Requires a string literal.
  void expires_after(std::chrono::milliseconds time, const char* action = "receiving");
  void expires_never();
  /// True if the other end has closed the connection and all received bytes have been read.
  bool ended() const;
  /// Ends all calls at both ends. Safe from any thread.
  void shut_down() noexcept;

  /// The address of the other end ("10.0.0.2"), and its port.
  std::string peer_host() const;
  std::uint16_t peer_port() const;
  /// The address of this end: "10.0.0.1".
  std::string own_host() const;

 private:
  struct Socket;
  void receive(std::span<std::byte> into, const std::function<void()>& on_bytes);
  std::unique_ptr<Socket> socket_;
};

/// Sends the reason for a refusal to the other end. A closed connection is not an error.
void refuse(Connection& peer, const std::string& why);

}  // namespace paceline
