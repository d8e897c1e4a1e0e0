// SPDX-License-Identifier: MIT
#include "exec/processes/group.hpp"

#include <algorithm>

#include <pthread.h>

namespace paceline {
namespace {

using std::chrono::milliseconds;

// Questions about the time on process 0; the fastest counts.
constexpr int kEchoes = 40;
// From the agreement to begin until the beginning: all must have heard of it.
constexpr std::int64_t kHeadStart_ns = 20'000'000;
// How often the thread that accepts streams looks whether it should end.
constexpr milliseconds kLook{1000};
constexpr milliseconds kIntroduction{2000};
// Later than this, the thread that tends the heartbeats was not only busy.
constexpr std::int64_t kStopped_ns = 2'000'000'000;
// How long a process that ends waits for the others' goodbye.
constexpr milliseconds kFarewell{3000};

void name_thread(std::thread& thread, const std::string& name) {
  pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
}

}  // namespace

Group::Group(Membership membership, const std::string& identity)
    : Group(membership.rank, meet(std::move(membership), identity)) {}

Group::Group(int rank, Mesh mesh) : rank_(rank), streams_(std::move(mesh.listener)) {
  for (std::size_t i = 0; i < mesh.control.size(); ++i) {
    Peer& peer = *peers_.emplace_back(std::make_unique<Peer>());
    peer.control = std::move(mesh.control[i]);
    peer.host = mesh.hosts[i];
    peer.endpoint = mesh.endpoints[i];
    peer.heard_ns = steady_ns();
  }
  for (int process = 0; process < size(); ++process) {
    if (process == rank_) continue;
    of(process).reader = std::thread([this, process] { read(process); });
    name_thread(of(process).reader, "from " + std::to_string(process));
  }
  heartbeats_ = std::thread([this] { tend_heartbeats(); });
  name_thread(heartbeats_, "heartbeat");
  accepting_ = std::thread([this] { accept_streams(); });
  name_thread(accepting_, "accept");
}

Group::~Group() {
  say_goodbye();
  {
    // what is said last must be read: who closes early may take it back
    std::unique_lock lock(mutex_);
    ending_ = true;
    ends_.notify_all();
    news_.wait_for(lock, kFarewell, [this] {
      return std::all_of(peers_.begin(), peers_.end(), [this](const auto& peer) {
        return peer == peers_[static_cast<std::size_t>(rank_)] || peer->gone || peer->lost;
      });
    });
  }
  streams_.stop();
  heartbeats_.join();
  accepting_.join();
  for (const auto& peer : peers_) {
    peer->control.shut_down();
    if (peer->reader.joinable()) peer->reader.join();
  }
}

/// Also to those who have said theirs: they wait for ours.
void Group::say_goodbye() {
  const FrameWriter goodbye(FrameKind::goodbye);
  for (int process = 0; process < size(); ++process) {
    Peer& peer = of(process);
    if (process == rank_ || peer.lost) continue;
    try {
      const std::lock_guard lock(peer.sending);
      peer.control.send(goodbye);
    } catch (const ConnectionError&) {  // it has not waited
    }
  }
}

std::string Group::name_of(int process) const {
  return "process " + std::to_string(process) + " (" + of(process).host + ")";
}

// ---- sending and receiving

void Group::send(int to, const FrameWriter& frame) {
  Peer& peer = of(to);
  if (to == rank_ || peer.lost || peer.gone) return;
  try {
    const std::lock_guard lock(peer.sending);
    peer.control.send(frame);
  } catch (const ConnectionError&) {
    note_broken(to);
  }
}

void Group::send_to_all(const FrameWriter& frame) {
  for (int process = 0; process < size(); ++process) send(process, frame);
}

Frame Group::receive(int from, FrameKind kind) {
  Peer& peer = of(from);
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto found = std::find_if(peer.inbox.begin(), peer.inbox.end(),
                                    [kind](const Frame& frame) { return frame.kind == kind; });
    if (found != peer.inbox.end()) {
      Frame frame = std::move(*found);
      peer.inbox.erase(found);
      return frame;
    }
    if (peer.lost) throw ProcessLost(name_of(from) + " was lost: " + peer.why);
    if (peer.gone) throw ProcessLost(name_of(from) + " has ended");
    news_.wait(lock);
  }
}

void Group::listen(GroupListener* listener) {
  const std::lock_guard lock(listening_);
  listener_ = listener;
}

/// On the thread that reads from a process.
void Group::read(int from) {
  Peer& peer = of(from);
  Frame frame;
  try {
    while (!peer.gone) {
      peer.control.receive(frame);
      peer.heard_ns = steady_ns();
      take(from, frame);
    }
  } catch (const ProtocolError& error) {
    lose(from, error.what());
  } catch (const ConnectionError&) {
    note_broken(from);
  }
  news_.notify_all();
}

void Group::take(int from, Frame& frame) {
  switch (frame.kind) {
    case FrameKind::heartbeat:
      return;
    case FrameKind::goodbye:
      note_gone(from);
      return;
    case FrameKind::ping:
      return answer(from, frame.reader());
    case FrameKind::pong:
      return note_echo(frame.reader());
    case FrameKind::message:
    case FrameKind::cancel:
    case FrameKind::stop: {
      const std::lock_guard lock(listening_);
      if (listener_ != nullptr) listener_->on_frame(from, frame.kind, frame.reader());
      return;
    }
    default: {
      const std::lock_guard lock(mutex_);
      of(from).inbox.push_back(std::move(frame));
      news_.notify_all();
    }
  }
}

void Group::note_gone(int process) {
  const std::lock_guard lock(mutex_);
  of(process).gone = true;
  news_.notify_all();
}

// ---- time

void Group::answer(int from, FrameReader ping) {
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
  news_.notify_all();
}

ClockOffset Group::offset_of_leader() {
  if (leads()) return {};
  {
    const std::lock_guard lock(mutex_);
    echoes_.clear();
  }
  for (std::size_t asked = 1; asked <= kEchoes; ++asked) {
    FrameWriter ping(FrameKind::ping);
    send(0, ping.put(steady_ns()));
    std::unique_lock lock(mutex_);
    news_.wait(lock, [&] { return echoes_.size() >= asked || of(0).lost || of(0).gone; });
    if (echoes_.size() < asked) throw ProcessLost(name_of(0) + " was lost: " + of(0).why);
  }
  const std::lock_guard lock(mutex_);
  return clock_offset(echoes_);
}

// ---- agreement

Group::Agreed Group::agree(const Verdict& mine) {
  FrameWriter said(FrameKind::ready);
  said.put(mine.kind).put_text(mine.text);
  if (!leads()) {
    send(0, said);
    const Frame answer = receive(0, FrameKind::go);
    FrameReader go = answer.reader();
    Agreed agreed;
    agreed.verdict.kind = go.take<Verdict::Kind>();
    agreed.verdict.text = go.take_text();
    agreed.start_ns = go.take<std::int64_t>();
    return agreed;
  }
  Agreed agreed{mine, 0};
  for (int process = 1; process < size(); ++process) {
    if (is_lost(process)) continue;
    try {
      const Frame frame = receive(process, FrameKind::ready);
      FrameReader ready = frame.reader();
      Verdict theirs;
      theirs.kind = ready.take<Verdict::Kind>();
      theirs.text = ready.take_text();
      if (theirs.kind > agreed.verdict.kind) agreed.verdict = theirs;
    } catch (const ProcessLost&) {  // those that are left agree without it
    }
  }
  agreed.start_ns = steady_ns() + kHeadStart_ns;
  FrameWriter go(FrameKind::go);
  go.put(agreed.verdict.kind).put_text(agreed.verdict.text).put(agreed.start_ns);
  send_to_all(go);
  return agreed;
}

// ---- loss

std::string Group::loss_of(int process) const {
  const std::lock_guard lock(mutex_);
  return name_of(process) + " was lost: " + of(process).why;
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
  peer.control.shut_down();  // who is stuck sending to it learns of it too
  news_.notify_all();
  const std::lock_guard lock(listening_);
  if (listener_ != nullptr) listener_->on_lost(process);
}

void Group::tend_heartbeats() {
  const FrameWriter alive(FrameKind::heartbeat);
  std::int64_t last_look_ns = steady_ns();
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, kHeartbeat, [this] { return ending_; })) {
    lock.unlock();
    // who was stopped himself cannot say that the others were silent
    const bool was_stopped = steady_ns() - last_look_ns > kStopped_ns;
    last_look_ns = steady_ns();
    for (int process = 0; process < size(); ++process) {
      Peer& peer = of(process);
      if (process == rank_ || peer.lost || peer.gone) continue;
      if (was_stopped) peer.heard_ns = last_look_ns;
      // where others send, or where there is no room, there is a sign of life under way already
      if (std::unique_lock sending(peer.sending, std::try_to_lock); sending) {
        try {
          peer.control.send_now(alive);
        } catch (const ConnectionError&) {  // its reader will say so
        }
      }
      const std::int64_t silent_ns = steady_ns() - peer.heard_ns;
      if (silent_ns > std::chrono::nanoseconds(kSilence).count()) {
        lose(process, "no heartbeat for " + std::to_string(kSilence.count() / 1000) + " s");
      }
    }
    lock.lock();
  }
}

// ---- connections of streams

void Group::accept_streams() {
  for (;;) {
    std::optional<Connection> caller = streams_.accept(kLook);
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
    }
    if (caller) introduce(std::move(*caller));
  }
}

void Group::introduce(Connection caller) {
  try {
    Frame hello;
    caller.limit_waits(kIntroduction);
    caller.receive(hello);
    caller.limit_waits(milliseconds{0});
    if (hello.kind != FrameKind::stream) return;
    const auto from = hello.reader().take<int>();
    if (from < 0 || from >= size() || from == rank_) return;
    const std::lock_guard lock(listening_);
    if (listener_ != nullptr) listener_->on_stream(from, std::move(caller));
  } catch (const std::runtime_error&) {  // none of ours
  }
}

}  // namespace paceline
