// SPDX-License-Identifier: MIT
/// \file
/// A program that connects to a process without knowing a secret: it sends and receives plain
/// bytes.
#pragma once
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>
#include <poll.h>

#include "exec/processes/endpoint.hpp"
#include "exec/processes/frame.hpp"
#include "exec/processes/handshake.hpp"

namespace paceline {

class Stranger {
 public:
  explicit Stranger(const Endpoint& to) {
    socket_.connect({boost::asio::ip::make_address(to.host), to.port});
  }
  /// An accepted connection of `acceptor`.
  explicit Stranger(boost::asio::ip::tcp::acceptor& acceptor) { acceptor.accept(socket_); }

  void send(std::span<const std::byte> bytes) {
    boost::system::error_code ignored;  // the other end may have closed it
    boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()), ignored);
  }
  template <class T>
  void send_value(const T& value) {
    send(std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
  T receive() {
    T value;
    boost::asio::read(socket_, boost::asio::buffer(&value, sizeof value));
    return value;
  }
  /// Receives the challenge and responds like a process that knows `secret`. Returns whether the
  /// other end also proved it.
  bool shake_hands(const Secret& secret) {
    const auto challenge = receive<Challenge>();
    Response response;
    response.nonce = random_nonce();
    const Proofs proofs(secret, challenge.nonce, response.nonce);
    response.proof = proofs.connecting;
    send_value(response);
    return receive<Digest>() == proofs.accepting;
  }
  /// True if the other end closes the connection within `time`; drops received bytes.
  bool is_closed_within(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          until - std::chrono::steady_clock::now());
      pollfd ready{socket_.native_handle(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
      std::array<char, 4096> dropped{};
      boost::system::error_code error;
      socket_.read_some(boost::asio::buffer(dropped), error);
      if (error) return true;
    }
  }

 private:
  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_{context_};
};

/// Connections of strangers that send nothing.
inline std::vector<std::unique_ptr<Stranger>> idle_strangers(const Endpoint& to, int count) {
  std::vector<std::unique_ptr<Stranger>> all;
  for (int i = 0; i < count; ++i) all.push_back(std::make_unique<Stranger>(to));
  return all;
}

}  // namespace paceline
