// SPDX-License-Identifier: MIT
#include "exec/processes/group.hpp"

#include <algorithm>
#include <exception>

#include <pthread.h>

#include "exec/processes/connect.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Number of pings to measure the clock of process 0; the fastest one counts.
constexpr int kEchoes = 40;
// Heartbeats per silence after which a process is lost.
constexpr int kBeats = 10;
// If this many heartbeats are late, this process was stopped, not just busy.
constexpr int kStopped = 4;
// The time that an ending process waits for the goodbyes of the others.
constexpr milliseconds kFarewell{3000};

void name_thread(std::thread& thread, const std::string& name) {
  pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
}

}  // namespace

Group::Group(Membership membership, const std::string& identity)
    : Group(membership.rank, membership.silence, meet(std::move(membership), identity)) {}

Group::Group(int rank, milliseconds silence, Mesh mesh)
    : rank_(rank),
      silence_(silence),
      heartbeat_(silence / kBeats),
      exceptions_(std::uncaught_exceptions()),
      secret_(mesh.secret),
      streams_(std::move(mesh.listener)),
      last_heartbeat_ns_(steady_ns()) {
  for (std::size_t i = 0; i < mesh.control.size(); ++i) {
    Peer& peer = *peers_.emplace_back(std::make_unique<Peer>());
    peer.control = std::move(mesh.control[i]);
    peer.host = mesh.hosts[i];
    peer.endpoint = mesh.endpoints[i];
    peer.received_ns = steady_ns();
  }
  for (int process = 0; process < size(); ++process) {
    if (process == rank_) continue;
    of(process).reader = std::thread([this, process] { read(process); });
    name_thread(of(process).reader, "from " + std::to_string(process));
  }
  streams_.loop()->repeat(heartbeat_, [this] { exchange_heartbeats(); });
  streams_.accept_with([this](Accepted accepted) { accept_stream(std::move(accepted)); });
}

Group::~Group() {
  const bool good = std::uncaught_exceptions() == exceptions_;
  if (good) send_goodbyes();
  ending_ = true;
  if (good) await_goodbyes();
  streams_.stop();
  streams_.loop()->stop();
  for (const auto& peer : peers_) {
    peer->control.shut_down();
    if (peer->reader.joinable()) peer->reader.join();
  }
}

/// Also sends to processes that have already sent their goodbye, since they wait for this one.
void Group::send_goodbyes() {
  const FrameWriter goodbye(FrameKind::goodbye);
  for (int process = 0; process < size(); ++process) {
    Peer& peer = of(process);
    if (process == rank_ || peer.lost) continue;
    try {
      const std::lock_guard lock(peer.sending);
      peer.control.expires_after(kFarewell, "sending");
      peer.control.send(goodbye);
      peer.control.expires_never();
    } catch (const ConnectionError&) {  // the process has already closed the connection
    }
  }
}

/// Closing a connection with unread bytes resets it, so the other end might lose the goodbye.
void Group::await_goodbyes() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kFarewell, [this] {
    return std::all_of(peers_.begin(), peers_.end(), [this](const auto& peer) {
      return peer == peers_[static_cast<std::size_t>(rank_)] || peer->gone || peer->lost;
    });
  });
}

std::string Group::name_of(int process) const {
  return "process " + std::to_string(process) + " (" + of(process).host + ")";
}

Connection Group::connect(int process, milliseconds patience) const {
  return connect_to(streams_.loop(), std::span(&of(process).endpoint, 1), secret_,
                    std::chrono::steady_clock::now() + patience);
}

// ---- sending and receiving

void Group::send(int to, const FrameWriter& frame) {
  Peer& peer = of(to);
  if (to == rank_ || peer.lost || peer.gone) return;
  try {
    const std::lock_guard lock(peer.sending);
    peer.control.expires_after(silence_, "sending");
    peer.control.send(frame);
    peer.control.expires_never();
  } catch (const ConnectionError& error) {
    lose(to, error.what());
  }
}

void Group::send_to_all(const FrameWriter& frame) {
  for (int process = 0; process < size(); ++process) send(process, frame);
}

Frame Group::receive(int from, FrameKind kind, FrameKind end) {
  Peer& peer = of(from);
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto found = std::find_if(
        peer.inbox.begin(), peer.inbox.end(),
        [kind, end](const Frame& frame) { return frame.kind == kind || frame.kind == end; });
    if (found != peer.inbox.end()) {
      if (found->kind != kind) return *found;
      Frame frame = std::move(*found);
      peer.inbox.erase(found);
      return frame;
    }
    if (peer.lost) throw ProcessLost(name_of(from) + " was lost: " + peer.why);
    if (peer.gone) throw ProcessLost(name_of(from) + " " + peer.why);
    changed_.wait(lock);
  }
}

void Group::listen(GroupListener* listener) {
  const std::lock_guard lock(listening_);
  listener_ = listener;
}

/// Runs on its own thread.
void Group::read(int from) {
  Peer& peer = of(from);
  Frame frame;
  // every piece of a frame counts as a heartbeat: on a slow link a frame may take longer than that
  const auto on_bytes = [&peer] { peer.received_ns = steady_ns(); };
  try {
    while (!peer.gone) {
      peer.control.receive(frame, on_bytes);
      handle(from, frame);
    }
  } catch (const std::exception& error) {  // connection lost or invalid frame
    lose(from, error.what());
  }
  changed_.notify_all();
}

void Group::handle(int from, Frame& frame) {
  switch (frame.kind) {
    case FrameKind::heartbeat:
      return;
    case FrameKind::goodbye:
      note_goodbye(from);
      return;
    case FrameKind::refuse:
      return lose(from, "it left the group (" + frame.reader().take_line() + ")");
    case FrameKind::ping:
      return reply(from, frame.reader());
    case FrameKind::pong:
      return note_echo(frame.reader());
    case FrameKind::message:
    case FrameKind::cancel:
    case FrameKind::death:
    case FrameKind::stop: {
      const std::lock_guard lock(listening_);
      if (listener_ != nullptr) listener_->on_frame(from, frame.kind, frame.reader());
      return;
    }
    default: {
      const std::lock_guard lock(mutex_);
      of(from).inbox.push_back(std::move(frame));
      changed_.notify_all();
    }
  }
}

void Group::note_goodbye(int process) {
  const std::lock_guard lock(mutex_);
  if (of(process).lost) return;
  of(process).why = "has ended";
  of(process).gone = true;
  changed_.notify_all();
}

// ---- time

void Group::reply(int from, FrameReader ping) {
  FrameWriter pong(FrameKind::pong);
  send(from, pong.put(ping.take<std::int64_t>()).put(steady_ns()));
}

void Group::note_echo(FrameReader pong) {
  Echo echo;
  echo.back_ns = steady_ns();
  echo.sent_ns = pong.take<std::int64_t>();
  echo.there_ns = pong.take<std::int64_t>();
  const std::lock_guard lock(mutex_);
  echoes_.push_back(echo);
  changed_.notify_all();
}

ClockOffset Group::offset_of_leader() {
  if (leads()) return {};
  {
    const std::lock_guard lock(mutex_);
    echoes_.clear();
  }
  for (std::size_t pings = 1; pings <= kEchoes; ++pings) {
    FrameWriter ping(FrameKind::ping);
    send(0, ping.put(steady_ns()));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return echoes_.size() >= pings || of(0).lost || of(0).gone; });
    if (echoes_.size() >= pings) continue;
    lock.unlock();
    throw ProcessLost(absence_of(0));
  }
  const std::lock_guard lock(mutex_);
  return clock_offset(echoes_);
}

// ---- loss

std::string Group::loss_of(int process) const {
  const std::lock_guard lock(mutex_);
  return name_of(process) + " was lost: " + of(process).why;
}

std::string Group::absence_of(int process) const {
  const std::lock_guard lock(mutex_);
  const Peer& peer = of(process);
  return name_of(process) + (peer.gone ? " " : " was lost: ") + peer.why;
}

std::string Group::absence() const {
  if (std::string lost = loss(); !lost.empty()) return lost;
  for (int process = 0; process < size(); ++process) {
    if (of(process).gone) return absence_of(process);
  }
  return "";
}

std::string Group::loss() const {
  int process = -1;
  {
    const std::lock_guard lock(mutex_);
    process = first_lost_;
  }
  return process < 0 ? "" : loss_of(process);
}

void Group::lose(int process, const std::string& why) {
  Peer& peer = of(process);
  {
    const std::lock_guard lock(mutex_);
    if (peer.gone || peer.lost) return;
    peer.why = why;
    peer.lost = true;
    if (first_lost_ < 0) first_lost_ = process;
  }
  send_error(peer, why);
  peer.control.shut_down();  // wakes a thread that blocks in send
  changed_.notify_all();
  const std::lock_guard lock(listening_);
  if (listener_ != nullptr) listener_->on_lost(process);
}

/// Reports a loss to the process itself: it may be alive, and only unreachable at its address.
void Group::send_error(Peer& peer, const std::string& why) {
  const std::unique_lock sending(peer.sending, std::try_to_lock);
  if (!sending) return;
  FrameWriter refusal(FrameKind::refuse);
  peer.control.send_now(refusal.put_text(why));
}

/// Runs on the loop's thread, which must not block.
void Group::exchange_heartbeats() {
  if (ending_) return;
  const FrameWriter heartbeat(FrameKind::heartbeat);
  // a process that was stopped has not received the heartbeats sent meanwhile
  const std::int64_t now_ns = steady_ns();
  const bool was_stopped = now_ns - last_heartbeat_ns_ > nanoseconds(kStopped * heartbeat_).count();
  last_heartbeat_ns_ = now_ns;
  for (int process = 0; process < size(); ++process) {
    Peer& peer = of(process);
    if (process == rank_ || peer.lost || peer.gone) continue;
    if (was_stopped) peer.received_ns = now_ns;
    // if another thread sends or the socket's buffer is full, other bytes are already on their way
    if (const std::unique_lock sending(peer.sending, std::try_to_lock); sending) {
      peer.control.send_now(heartbeat);
    }
    if (now_ns - peer.received_ns > nanoseconds(silence_).count()) {
      lose(process, "no heartbeat for " + to_text(silence_));
    }
  }
}

/// Runs on the loop's thread.
void Group::accept_stream(Accepted accepted) {
  try {
    if (accepted.hello.kind != FrameKind::stream) return;
    const auto from = accepted.hello.reader().take<int>();
    if (from < 0 || from >= size() || from == rank_) return;
    const std::lock_guard lock(listening_);
    if (listener_ != nullptr) listener_->on_stream(from, std::move(accepted.connection));
  } catch (const ProtocolError&) {
  }
}

}  // namespace paceline
