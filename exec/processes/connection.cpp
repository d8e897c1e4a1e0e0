// SPDX-License-Identifier: MIT
#include "exec/processes/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <thread>
#include <utility>

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace paceline {
namespace {

using std::chrono::milliseconds;

// Between two attempts to reach who does not listen yet.
constexpr milliseconds kRetry{50};
// One attempt: an address that nobody has may never say so.
constexpr milliseconds kLongestAttempt{3000};
// Calls that wait at a listener at once, far above what a group makes.
constexpr int kBacklog = 1024;

std::string reason(int error) {
  return std::system_category().message(error);
}

/// Why a connection has failed. That it was closed, some learn by an error and some by its end.
std::string problem_of(const char* doing, int error) {
  if (error == ECONNRESET || error == EPIPE) return "its connection was closed";
  return std::string(doing) + " failed (" + reason(error == EAGAIN ? ETIMEDOUT : error) + ")";
}

timeval as_timeval(milliseconds time) {
  return {time.count() / 1000, (time.count() % 1000) * 1000};
}

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

struct Found {
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> list{nullptr, ::freeaddrinfo};
  std::string problem;
};

Found find(const Endpoint& endpoint, bool to_listen) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  addrinfo* list = nullptr;
  const std::string port = std::to_string(endpoint.port);
  const char* host = endpoint.host.empty() ? nullptr : endpoint.host.c_str();
  const int error = ::getaddrinfo(host, port.c_str(), &wanted, &list);
  Found found;
  if (error != 0) {
    found.problem = error == EAI_SYSTEM ? reason(errno) : ::gai_strerror(error);
  } else {
    found.list.reset(list);
  }
  return found;
}

std::string number_of(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST] = "";
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, nullptr, 0,
                NI_NUMERICHOST);
  return host;
}

std::uint16_t port_of(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

/// Connects within `longest`; the error otherwise.
int connect_within(int socket, const addrinfo& to, milliseconds longest) {
  // a timed connect: the send timeout holds for it too
  const timeval limit = as_timeval(longest);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int failed = ::connect(socket, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
  const timeval none{};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
  return failed == EINPROGRESS ? ETIMEDOUT : failed;
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  const bool colons = endpoint.host.find(':') != std::string::npos;
  return (colons ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::optional<Endpoint> read_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  Endpoint endpoint{text.substr(0, colon), 0};
  if (endpoint.host.front() == '[' && endpoint.host.back() == ']') {
    endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  } else if (endpoint.host.find(':') != std::string::npos) {
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (error != std::errc{} || rest != end || endpoint.port == 0 || endpoint.host.empty()) {
    return std::nullopt;
  }
  return endpoint;
}

Endpoint to_listen_at(const Endpoint& known) {
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICHOST;
  addrinfo* number = nullptr;
  if (::getaddrinfo(known.host.c_str(), nullptr, &wanted, &number) == 0) {
    ::freeaddrinfo(number);
    return known;
  }
  if (known.host == "localhost") return known;
  // where the name is only of IPv6, callers come that way
  const Found found = find(known, false);
  const addrinfo* way = found.list.get();
  while (way != nullptr && way->ai_family != AF_INET) way = way->ai_next;
  return {found.list != nullptr && way == nullptr ? "::" : "", known.port};
}

// ---- a connection

Connection::Connection(int socket) : socket_(socket) {
  set_option(socket_, IPPROTO_TCP, TCP_NODELAY, 1);
}

Connection::Connection(Connection&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

void Connection::send(std::span<const std::byte> first, std::span<const std::byte> second) {
  while (!first.empty() || !second.empty()) {
    iovec parts[2] = {{const_cast<std::byte*>(first.data()), first.size()},
                      {const_cast<std::byte*>(second.data()), second.size()}};
    msghdr message{};
    message.msg_iov = first.empty() ? parts + 1 : parts;
    message.msg_iovlen = first.empty() || second.empty() ? 1 : 2;
    const ssize_t sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw ConnectionError(problem_of("sending", errno));
    const std::size_t of_first = std::min(first.size(), static_cast<std::size_t>(sent));
    first = first.subspan(of_first);
    second = second.subspan(static_cast<std::size_t>(sent) - of_first);
  }
}

bool Connection::send_now(const FrameWriter& frame) {
  const std::span<const std::byte> bytes = frame.bytes();
  const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) return false;
  send(bytes.subspan(static_cast<std::size_t>(sent)));  // half a frame would be none
  return true;
}

void Connection::receive(std::span<std::byte> into) {
  receive(into, {});
}

void Connection::receive(std::span<std::byte> into, const std::function<void()>& heard) {
  while (!into.empty()) {
    const ssize_t got = ::recv(socket_, into.data(), into.size(), heard ? 0 : MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw ConnectionError(problem_of("receiving", errno));
    if (got == 0) throw ConnectionError("its connection was closed");
    into = into.subspan(static_cast<std::size_t>(got));
    if (heard) heard();
  }
}

void Connection::receive(Frame& frame, const std::function<void()>& heard) {
  FrameHeader header;
  receive(std::as_writable_bytes(std::span(&header, 1)), heard);
  check_header(header);
  frame.kind = header.kind;
  frame.payload.resize(header.bytes);
  receive(frame.payload, heard);
}

void Connection::limit_waits(milliseconds longest) {
  const timeval limit = as_timeval(longest);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  limit_sends(longest);
}

void Connection::limit_sends(milliseconds longest) {
  const timeval limit = as_timeval(longest);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool Connection::ended() const {
  std::byte next{};
  const ssize_t got = ::recv(socket_, &next, sizeof next, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

void Connection::shut_down() noexcept {
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

std::string Connection::peer_host() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  return number_of(address, size);
}

std::uint16_t Connection::peer_port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return port_of(address);
}

std::string Connection::own_host() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  return number_of(address, size);
}

void refuse(Connection& caller, const std::string& why) {
  FrameWriter refusal(FrameKind::refuse);
  try {
    caller.send(refusal.put_text(why));
  } catch (const ConnectionError&) {  // it has gone: it needs no answer
  }
}

// ---- a listener

Listener::Listener(const Endpoint& at) {
  const Found found = find(at, true);
  std::string problem = found.problem;
  for (const addrinfo* way = found.list.get(); way != nullptr; way = way->ai_next) {
    socket_ = ::socket(way->ai_family, way->ai_socktype | SOCK_CLOEXEC, way->ai_protocol);
    if (socket_ < 0) {
      problem = reason(errno);
      continue;
    }
    set_option(socket_, SOL_SOCKET, SO_REUSEADDR, 1);
    if (::bind(socket_, way->ai_addr, way->ai_addrlen) == 0 && ::listen(socket_, kBacklog) == 0) {
      sockaddr_storage bound{};
      socklen_t size = sizeof bound;
      ::getsockname(socket_, reinterpret_cast<sockaddr*>(&bound), &size);
      port_ = port_of(bound);
      return;
    }
    problem = reason(errno);
    ::close(std::exchange(socket_, -1));
  }
  const std::string place = at.host.empty() ? "port " + std::to_string(at.port) : to_string(at);
  throw ConnectionError("cannot listen at " + place + " (" + problem + ")");
}

Listener::Listener(Listener&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), port_(other.port_) {}

Listener& Listener::operator=(Listener&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(port_, other.port_);
  return *this;
}

Listener::~Listener() {
  if (socket_ >= 0) ::close(socket_);
}

std::optional<Connection> Listener::accept(milliseconds longest) {
  pollfd ready{socket_, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(longest.count())) <= 0) return std::nullopt;
  const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket >= 0) return Connection(socket);
  // the caller still waits: who asks again at once would only ask all the time
  const bool lacks_room = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
  if (lacks_room) std::this_thread::sleep_for(kRetry);
  return std::nullopt;
}

void Listener::stop() noexcept {
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

// ---- connecting

Connection connect_to(std::span<const Endpoint> to, std::chrono::steady_clock::time_point until) {
  const auto left = [until] {
    return std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
  };
  for (;;) {
    std::string problem;
    for (const Endpoint& endpoint : to) {
      const Found found = find(endpoint, false);
      std::string here = found.problem;
      for (const addrinfo* way = found.list.get(); way != nullptr; way = way->ai_next) {
        const int socket =
            ::socket(way->ai_family, way->ai_socktype | SOCK_CLOEXEC, way->ai_protocol);
        if (socket < 0) {
          here = reason(errno);
          continue;
        }
        const int failed =
            connect_within(socket, *way, std::clamp(left(), kRetry, kLongestAttempt));
        if (failed == 0) return Connection(socket);
        here = reason(failed);
        ::close(socket);
      }
      if (problem.empty()) problem = to_string(endpoint) + " (" + here + ")";
    }
    if (left() <= kRetry) throw ConnectionError("cannot connect to " + problem);
    std::this_thread::sleep_for(kRetry);
  }
}

std::vector<std::string> own_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {"127.0.0.1"};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(list, ::freeifaddrs);
  std::vector<std::string> outer;
  std::vector<std::string> inner;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_storage address{};
    std::memcpy(&address, one->ifa_addr, sizeof(sockaddr_in));
    const bool loops = (one->ifa_flags & IFF_LOOPBACK) != 0;
    (loops ? inner : outer).push_back(number_of(address, sizeof(sockaddr_in)));
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

}  // namespace paceline
