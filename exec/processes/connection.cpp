// SPDX-License-Identifier: MIT
#include "exec/processes/connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/socket.h>

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Memory is allocated as the bytes of a frame arrive, not for the announced length.
constexpr std::size_t kPiece = 1U << 20;

/// State shared by a timer and its connection, which may be destroyed before the timer fires.
struct Deadline {
  std::mutex mutex;
  int socket = -1;
  const char* passed = nullptr;  ///< the action that took too long
};

tcp protocol_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return address.ss_family == AF_INET6 ? tcp::v6() : tcp::v4();
}

}  // namespace

struct Connection::Socket {
  Socket(std::shared_ptr<EventLoop> owner, int descriptor)
      : loop(std::move(owner)),
        socket(loop->context(), protocol_of(descriptor), descriptor),
        timer(loop->context()),
        deadline(std::make_shared<Deadline>()) {
    deadline->socket = descriptor;
    error_code ignored;  // fails if the other end has closed; the first use reports that
    socket.native_non_blocking(false, ignored);
    socket.set_option(tcp::no_delay(true), ignored);
  }
  ~Socket() {
    const std::lock_guard lock(deadline->mutex);
    deadline->socket = -1;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[noreturn]] void fail(const char* action, const error_code& error) const {
    const std::lock_guard lock(deadline->mutex);
    if (deadline->passed != nullptr) {
      throw ConnectionError(std::string(deadline->passed) + " failed (Connection timed out)");
    }
    if (error == asio::error::eof || error == asio::error::connection_reset ||
        error == asio::error::broken_pipe) {
      throw ConnectionError("its connection was closed");
    }
    throw ConnectionError(std::string(action) + " failed (" + error.message() + ")");
  }

  std::shared_ptr<EventLoop> loop;
  tcp::socket socket;
  asio::steady_timer timer;
  std::shared_ptr<Deadline> deadline;
  std::vector<std::byte> unsent;  ///< the rest of a frame that `send_now` sent in part
};

Connection::Connection() = default;
Connection::Connection(std::shared_ptr<EventLoop> loop, int socket)
    : socket_(std::make_unique<Socket>(std::move(loop), socket)) {}
Connection::Connection(Connection&& other) noexcept = default;
Connection& Connection::operator=(Connection&& other) noexcept = default;
Connection::~Connection() = default;

void Connection::send(std::span<const std::byte> first, std::span<const std::byte> second) {
  if (!socket_->unsent.empty()) send(std::exchange(socket_->unsent, {}), {});
  while (!first.empty() || !second.empty()) {
    const std::array<asio::const_buffer, 2> parts{asio::buffer(first.data(), first.size()),
                                                  asio::buffer(second.data(), second.size())};
    error_code error;
    const std::size_t sent = socket_->socket.write_some(parts, error);
    if (error && error != asio::error::interrupted) socket_->fail("sending", error);
    const std::size_t of_first = std::min(first.size(), sent);
    first = first.subspan(of_first);
    second = second.subspan(sent - of_first);
  }
}

bool Connection::send_now(const FrameWriter& frame) {
  // Asio's own non-blocking mode would also apply to threads that block on this socket
  const auto try_to_send = [this](std::span<const std::byte> bytes) {
    const ssize_t sent = ::send(socket_->socket.native_handle(), bytes.data(), bytes.size(),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    return bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  };
  std::vector<std::byte>& unsent = socket_->unsent;
  if (!unsent.empty()) {
    unsent.erase(unsent.begin(), unsent.end() - std::ssize(try_to_send(unsent)));
    if (!unsent.empty()) return false;
  }
  const std::span<const std::byte> rest = try_to_send(frame.bytes());
  if (rest.size() == frame.bytes().size()) return false;
  unsent.assign(rest.begin(), rest.end());
  return true;
}

void Connection::receive(std::span<std::byte> into) {
  receive(into, {});
}

void Connection::receive(std::span<std::byte> into, const std::function<void()>& on_bytes) {
  while (!into.empty()) {
    error_code error;
    const std::size_t got = socket_->socket.receive(asio::buffer(into.data(), into.size()),
                                                    on_bytes ? 0 : MSG_WAITALL, error);
    if (error && error != asio::error::interrupted) socket_->fail("receiving", error);
    into = into.subspan(got);
    if (on_bytes) on_bytes();
  }
}

void Connection::receive(Frame& frame, const std::function<void()>& on_bytes) {
  FrameHeader header;
  receive(std::as_writable_bytes(std::span(&header, 1)), on_bytes);
  check_header(header);
  frame.kind = header.kind;
  frame.payload.clear();
  while (frame.payload.size() < header.bytes) {
    const std::size_t before = frame.payload.size();
    frame.payload.resize(std::min<std::size_t>(header.bytes, before + kPiece));
    receive(std::span(frame.payload).subspan(before), on_bytes);
  }
}

void Connection::expires_after(std::chrono::milliseconds time, const char* action) {
  socket_->loop->running();
  socket_->timer.expires_after(time);
  socket_->timer.async_wait([action, deadline = socket_->deadline](const error_code& cancelled) {
    if (cancelled) return;
    const std::lock_guard lock(deadline->mutex);
    deadline->passed = action;
    if (deadline->socket >= 0) ::shutdown(deadline->socket, SHUT_RDWR);
  });
}

void Connection::expires_never() {
  socket_->timer.cancel();
}

bool Connection::ended() const {
  std::byte next{};
  const ssize_t got =
      ::recv(socket_->socket.native_handle(), &next, sizeof next, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

void Connection::shut_down() noexcept {
  // safe from any thread, unlike Asio's function of that name
  if (socket_ != nullptr) ::shutdown(socket_->socket.native_handle(), SHUT_RDWR);
}

std::string Connection::peer_host() const {
  error_code error;
  const auto peer = socket_->socket.remote_endpoint(error);
  return error ? "" : peer.address().to_string();
}

std::uint16_t Connection::peer_port() const {
  error_code error;
  return socket_->socket.remote_endpoint(error).port();
}

std::string Connection::own_host() const {
  error_code error;
  const auto own = socket_->socket.local_endpoint(error);
  return error ? "" : own.address().to_string();
}

void refuse(Connection& peer, const std::string& why) {
  FrameWriter refusal(FrameKind::refuse);
  try {
    peer.send(refusal.put_text(why));
  } catch (const ConnectionError&) {
  }
}

}  // namespace paceline
