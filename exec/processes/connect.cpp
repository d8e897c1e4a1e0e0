// SPDX-License-Identifier: MIT
#include "exec/processes/connect.hpp"

#include <algorithm>
#include <thread>
#include <utility>  // needed by awaitable.hpp of Boost 1.74

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include "exec/processes/handshake.hpp"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using boost::system::system_error;
using std::chrono::milliseconds;

// Pause between two attempts to reach a process that does not listen yet.
constexpr milliseconds kPause{50};
// Time limit of one attempt: packets to an unused address may be lost without an error.
constexpr milliseconds kLongestAttempt{3000};

/// The result of an attempt. No exception crosses threads, because the thread sanitizer does not
/// see the code of exception reference counts.
struct Attempt {
  int socket = -1;      ///< the descriptor of an authenticated connection
  std::string problem;  ///< the reason if there is none
  bool wrong_secret = false;
};

asio::awaitable<Attempt> shake_hands(tcp::socket& socket, const Secret& secret) {
  Challenge challenge;
  co_await asio::async_read(socket, asio::buffer(&challenge, sizeof challenge), use_awaitable);
  Attempt attempt;
  if (challenge.protocol != Challenge::kProtocol) {
    attempt.problem = "another program, or another version of paceline, listens there";
    co_return attempt;
  }
  Response response;
  response.nonce = random_nonce();
  const Proofs proofs(secret, challenge.nonce, response.nonce);
  response.proof = proofs.connecting;
  co_await asio::async_write(socket, asio::buffer(&response, sizeof response), use_awaitable);
  Digest proof;
  co_await asio::async_read(socket, asio::buffer(proof), use_awaitable);
  attempt.wrong_secret = !equal_in_constant_time(proof, proofs.accepting);
  if (attempt.wrong_secret) {
    attempt.problem = "it has another secret (give all processes the same --secret-file)";
  } else {
    attempt.socket = socket.release();
  }
  co_return attempt;
}

asio::awaitable<Attempt> connect_once(tcp::endpoint to, const Secret& secret,
                                      milliseconds longest) {
  auto passed = std::make_shared<bool>(false);
  Attempt failed;
  try {
    auto socket = std::make_shared<tcp::socket>(co_await asio::this_coro::executor);
    error_code unopened;
    socket->open(to.protocol(), unopened);
    if (unopened) {
      failed.problem = unopened.message();
      co_return failed;
    }
    close_on_exec(socket->native_handle());
    asio::steady_timer deadline(socket->get_executor(), longest);
    deadline.async_wait([socket, passed](const error_code& cancelled) {
      if (cancelled) return;
      *passed = true;
      error_code ignored;
      socket->close(ignored);
    });
    co_await socket->async_connect(to, use_awaitable);
    co_return co_await shake_hands(*socket, secret);
  } catch (const system_error& error) {
    const error_code code = *passed ? error_code(asio::error::timed_out) : error.code();
    failed.problem = code == asio::error::eof ? "its connection was closed" : code.message();
  } catch (const std::exception& error) {
    failed.problem = error.what();
  }
  co_return failed;
}

}  // namespace

Connection connect_to(const std::shared_ptr<EventLoop>& loop, std::span<const Endpoint> to,
                      const Secret& secret, std::chrono::steady_clock::time_point until) {
  const auto left = [until] {
    return std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
  };
  for (;;) {
    std::string problem;  // error of the first address
    const auto note = [&problem](const Endpoint& endpoint, const std::string& why) {
      if (problem.empty()) problem = to_string(endpoint) + " (" + why + ")";
    };
    for (const Endpoint& endpoint : to) {
      error_code error;
      const auto found = tcp::resolver(loop->context())
                             .resolve(endpoint.host, std::to_string(endpoint.port), error);
      if (error) note(endpoint, error.message());
      for (const auto& address : found) {
        const milliseconds longest = std::clamp(left(), kPause, kLongestAttempt);
        const Attempt attempt =
            asio::co_spawn(loop->running(), connect_once(address.endpoint(), secret, longest),
                           asio::use_future)
                .get();
        if (attempt.socket >= 0) return {loop, attempt.socket};
        if (attempt.wrong_secret) throw WrongSecret(attempt.problem);
        note(endpoint, attempt.problem);
      }
    }
    if (left() <= kPause) throw ConnectionError("cannot connect to " + problem);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace paceline
