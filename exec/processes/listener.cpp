// SPDX-License-Identifier: MIT
#include "exec/processes/listener.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "exec/processes/handshake.hpp"

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;

// The backlog of connections to accept; larger than the number that a group makes at once.
constexpr int kBacklog = 1024;
// Pause before the next accept after an error such as too many open files.
constexpr std::chrono::milliseconds kPause{50};

/// Reads a short frame; throws if the header announces a longer one.
asio::awaitable<Frame> read_hello(tcp::socket& socket) {
  FrameHeader header;
  co_await asio::async_read(socket, asio::buffer(&header, sizeof header), use_awaitable);
  check_header(header);
  if (header.bytes > Listener::kMostHelloBytes) {
    throw ProtocolError("received a first frame of " + std::to_string(header.bytes) +
                        " bytes (at most " + std::to_string(Listener::kMostHelloBytes) + ")");
  }
  Frame hello;
  hello.kind = header.kind;
  hello.payload.resize(header.bytes);
  co_await asio::async_read(socket, asio::buffer(hello.payload), use_awaitable);
  co_return hello;
}

}  // namespace

/// State shared by the listener and the coroutines on the loop's thread.
struct Listener::State {
  State(const std::shared_ptr<EventLoop>& owner, const Secret& shared)
      : loop(owner), secret(shared), acceptor(owner->context()) {}

  std::weak_ptr<EventLoop> loop;  ///< the loop owns the coroutines, so they must not own the loop
  Secret secret;
  // used by the loop's thread only
  tcp::acceptor acceptor;
  std::deque<std::weak_ptr<tcp::socket>> handshakes;  ///< the oldest first
  bool accepts = false;
  // guarded by the mutex
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Accepted> accepted;
  std::function<void(Accepted)> on_accepted;
  int rejected = 0;
  bool stopped = false;

  bool open(const tcp::endpoint& at, error_code& error);
  void track(const std::shared_ptr<tcp::socket>& socket);
  void deliver(tcp::socket& socket, Frame hello);
  void close();
  static void start(const std::shared_ptr<State>& state, asio::io_context& context);
  static asio::awaitable<void> accept_all(std::shared_ptr<State> state);
  static asio::awaitable<void> authenticate(std::shared_ptr<State> state,
                                            std::shared_ptr<tcp::socket> socket);
  asio::awaitable<bool> shake_hands(tcp::socket& socket);
};

bool Listener::State::open(const tcp::endpoint& at, error_code& error) {
  error = {};
  const auto good = [&error] { return !error; };
  acceptor.open(at.protocol(), error);
  if (good()) close_on_exec(acceptor.native_handle());
  if (good()) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (good()) acceptor.bind(at, error);
  if (good()) acceptor.listen(kBacklog, error);
  error_code ignored;
  if (!good()) acceptor.close(ignored);
  return good();
}

void Listener::State::start(const std::shared_ptr<State>& state, asio::io_context& context) {
  if (std::exchange(state->accepts, true)) return;
  asio::co_spawn(context, accept_all(state), asio::detached);
}

asio::awaitable<void> Listener::State::accept_all(std::shared_ptr<State> state) {
  asio::steady_timer pause(state->acceptor.get_executor());
  while (state->acceptor.is_open()) {
    error_code error;
    auto socket = std::make_shared<tcp::socket>(state->acceptor.get_executor());
    co_await state->acceptor.async_accept(*socket, asio::redirect_error(use_awaitable, error));
    if (error) {  // such as too many open files: the connection stays in the backlog
      pause.expires_after(kPause);
      co_await pause.async_wait(asio::redirect_error(use_awaitable, error));
      continue;
    }
    close_on_exec(socket->native_handle());
    state->track(socket);
    asio::co_spawn(state->acceptor.get_executor(), authenticate(state, socket), asio::detached);
  }
}

void Listener::State::track(const std::shared_ptr<tcp::socket>& socket) {
  std::erase_if(handshakes, [](const auto& one) { return one.expired(); });
  handshakes.push_back(socket);
  if (handshakes.size() <= kMostHandshakes) return;
  error_code ignored;
  if (const auto oldest = handshakes.front().lock()) oldest->close(ignored);
  handshakes.pop_front();
}

asio::awaitable<void> Listener::State::authenticate(std::shared_ptr<State> state,
                                                    std::shared_ptr<tcp::socket> socket) {
  asio::steady_timer deadline(socket->get_executor(), kHandshakeTime);
  deadline.async_wait([socket](const error_code& cancelled) {
    error_code ignored;
    if (!cancelled) socket->close(ignored);  // released sockets are already closed
  });
  try {
    if (co_await state->shake_hands(*socket)) state->deliver(*socket, co_await read_hello(*socket));
  } catch (const std::exception&) {  // the connection ended, or its bytes are not a frame
  }
}

asio::awaitable<bool> Listener::State::shake_hands(tcp::socket& socket) {
  Challenge challenge;
  challenge.nonce = random_nonce();
  co_await asio::async_write(socket, asio::buffer(&challenge, sizeof challenge), use_awaitable);
  Response response;
  co_await asio::async_read(socket, asio::buffer(&response, sizeof response), use_awaitable);
  const Proofs proofs(secret, challenge.nonce, response.nonce);
  const bool good = equal_in_constant_time(response.proof, proofs.connecting);
  if (!good) {
    const std::lock_guard lock(mutex);
    ++rejected;
  }
  const Digest answer = good ? proofs.accepting : Digest{};
  co_await asio::async_write(socket, asio::buffer(answer), use_awaitable);
  co_return good;
}

void Listener::State::deliver(tcp::socket& socket, Frame hello) {
  const std::shared_ptr<EventLoop> owner = loop.lock();
  if (owner == nullptr || !acceptor.is_open()) return;
  Accepted one{Connection(owner, socket.release()), std::move(hello)};
  std::unique_lock lock(mutex);
  if (on_accepted) {
    const auto handler = on_accepted;
    lock.unlock();
    return handler(std::move(one));
  }
  accepted.push_back(std::move(one));
  changed.notify_all();
}

void Listener::State::close() {
  error_code ignored;
  acceptor.close(ignored);
  for (const auto& one : handshakes) {
    if (const auto socket = one.lock()) socket->close(ignored);
  }
  const std::lock_guard lock(mutex);
  stopped = true;
  on_accepted = nullptr;
  accepted.clear();
  changed.notify_all();
}

Listener::Listener(const Endpoint& at, const Secret& secret, std::shared_ptr<EventLoop> loop)
    : loop_(std::move(loop)), state_(std::make_shared<State>(loop_, secret)) {
  error_code error;
  const auto found = tcp::resolver(loop_->context())
                         .resolve(at.host, std::to_string(at.port),
                                  tcp::resolver::passive | tcp::resolver::numeric_service, error);
  for (const auto& address : found) {
    if (!state_->open(address.endpoint(), error)) continue;
    port_ = state_->acceptor.local_endpoint().port();
    return;
  }
  const std::string place = at.host.empty() ? "port " + std::to_string(at.port) : to_string(at);
  throw ConnectionError("cannot listen at " + place + " (" + error.message() + ")");
}

Listener::Listener(Listener&& other) noexcept = default;

Listener& Listener::operator=(Listener&& other) noexcept {
  std::swap(loop_, other.loop_);
  std::swap(state_, other.state_);
  std::swap(port_, other.port_);
  return *this;
}

Listener::~Listener() {
  if (state_ != nullptr) stop();
}

std::optional<Accepted> Listener::accept(std::chrono::steady_clock::time_point until) {
  asio::io_context& context = loop_->running();
  loop_->run([&] { State::start(state_, context); });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_until(lock, until,
                             [this] { return state_->stopped || !state_->accepted.empty(); });
  if (state_->accepted.empty()) return std::nullopt;
  Accepted first = std::move(state_->accepted.front());
  state_->accepted.pop_front();
  return first;
}

void Listener::accept_with(std::function<void(Accepted)> on_accepted) {
  asio::io_context& context = loop_->running();
  loop_->run([&] {
    State::start(state_, context);
    std::unique_lock lock(state_->mutex);
    state_->on_accepted = on_accepted;
    std::deque<Accepted> waiting = std::exchange(state_->accepted, {});
    lock.unlock();
    for (Accepted& one : waiting) on_accepted(std::move(one));
  });
}

int Listener::rejected() const {
  const std::lock_guard lock(state_->mutex);
  return state_->rejected;
}

void Listener::stop() {
  loop_->run([this] { state_->close(); });
}

}  // namespace paceline
