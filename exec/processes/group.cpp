// SPDX-License-Identifier: MIT
#include "exec/processes/group.hpp"

#include <algorithm>
#include <exception>

#include <pthread.h>

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Questions about the time on process 0; the fastest counts.
constexpr int kEchoes = 40;
// From the agreement to begin until the beginning: all must have heard of it.
constexpr std::int64_t kHeadStart_ns = 20'000'000;
// How often the thread that accepts streams looks whether it should end.
constexpr milliseconds kLook{1000};
constexpr milliseconds kIntroduction{2000};
// Heartbeats in a silence after which a process is lost.
constexpr int kBeats = 10;
// After so many that are late, the thread that tends them was not only busy.
constexpr int kStopped = 4;
// How long a process that ends waits for the others' goodbye.
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
      streams_(std::move(mesh.listener)) {
  for (std::size_t i = 0; i < mesh.control.size(); ++i) {
    Peer& peer = *peers_.emplace_back(std::make_unique<Peer>());
    peer.control = std::move(mesh.control[i]);
    if (peer.control.open()) peer.control.limit_sends(silence_);
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
  const bool all_is_well = std::uncaught_exceptions() == exceptions_;
  if (all_is_well) say_goodbye();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ends_.notify_all();
  if (all_is_well) await_goodbyes();
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

/// What is said last must be read: who closes early may take it back.
void Group::await_goodbyes() {
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, kFarewell, [this] {
    return std::all_of(peers_.begin(), peers_.end(), [this](const auto& peer) {
      return peer == peers_[static_cast<std::size_t>(rank_)] || peer->gone || peer->lost;
    });
  });
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
  } catch (const ConnectionError& error) {
    note_broken(to, error.what());
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
  // a long frame may take longer than anyone may be silent
  const auto heard = [&peer] { peer.heard_ns = steady_ns(); };
  try {
    while (!peer.gone) {
      peer.control.receive(frame, heard);
      take(from, frame);
    }
  } catch (const std::exception& error) {  // of the connection, or of what came
    lose(from, error.what());
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
    case FrameKind::refuse:
      return lose(from, "it left the group (" + frame.reader().take_text() + ")");
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
  if (of(process).lost) return;
  of(process).why = "has ended";
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
    if (echoes_.size() >= asked) continue;
    lock.unlock();
    throw ProcessLost(absence_of(0));
  }
  const std::lock_guard lock(mutex_);
  return clock_offset(echoes_);
}

// ---- agreement

Verdict read_verdict(FrameReader& from) {
  Verdict verdict;
  verdict.kind = from.take<Verdict::Kind>();
  verdict.text = from.take_text();
  return verdict;
}

Group::Agreed Group::agree(const Verdict& mine) {
  if (leads()) return agree_as_leader(mine, false);
  FrameWriter said(FrameKind::ready);
  send(0, said.put(mine.kind).put_text(mine.text));
  const Frame answer = receive(0, FrameKind::go);
  FrameReader go = answer.reader();
  Agreed agreed;
  agreed.verdict = read_verdict(go);
  agreed.start_ns = go.take<std::int64_t>();
  return agreed;
}

Group::Agreed Group::agree_with_all(const Verdict& mine) {
  return leads() ? agree_as_leader(mine, true) : agree(with_absence(mine));
}

Verdict Group::with_absence(const Verdict& verdict) const {
  const std::string absent = absence();
  if (verdict.kind == Verdict::Kind::failed || absent.empty()) return verdict;
  return {Verdict::Kind::failed, absent};
}

Group::Agreed Group::agree_as_leader(const Verdict& mine, bool with_all) {
  Agreed agreed{mine, 0};
  for (int process = 1; process < size(); ++process) {
    if (is_lost(process)) continue;
    try {
      const Frame frame = receive(process, FrameKind::ready);
      FrameReader ready = frame.reader();
      const Verdict theirs = read_verdict(ready);
      if (theirs.kind > agreed.verdict.kind) agreed.verdict = theirs;
    } catch (const ProcessLost&) {  // those that are left agree without it
    }
    // it has said nothing since; what it has said before and nobody has asked for is of a time
    // that is over
    const std::lock_guard lock(mutex_);
    of(process).inbox.clear();
  }
  if (with_all) agreed.verdict = with_absence(agreed.verdict);
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

std::string Group::absence_of(int process) const {
  const std::lock_guard lock(mutex_);
  const Peer& peer = of(process);
  return name_of(process) + (peer.gone ? " " : " was lost: ") + peer.why;
}

std::string Group::absence() const {
  if (const std::string lost = loss(); !lost.empty()) return lost;
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
  tell_why(peer, why);
  peer.control.shut_down();  // who is stuck sending to it learns of it too
  news_.notify_all();
  const std::lock_guard lock(listening_);
  if (listener_ != nullptr) listener_->on_lost(process);
}

/// It may be alive, and only not to be reached where it listens.
void Group::tell_why(Peer& peer, const std::string& why) {
  const std::unique_lock sending(peer.sending, std::try_to_lock);
  if (!sending) return;
  FrameWriter refusal(FrameKind::refuse);
  try {
    peer.control.send_now(refusal.put_text(why));
  } catch (const ConnectionError&) {  // it has heard enough
  }
}

void Group::tend_heartbeats() {
  const FrameWriter alive(FrameKind::heartbeat);
  std::int64_t last_look_ns = steady_ns();
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, heartbeat_, [this] { return ending_; })) {
    lock.unlock();
    // who was stopped himself cannot say that the others were silent
    const bool was_stopped =
        steady_ns() - last_look_ns > nanoseconds(kStopped * heartbeat_).count();
    last_look_ns = steady_ns();
    for (int process = 0; process < size(); ++process) {
      Peer& peer = of(process);
      if (process == rank_ || peer.lost || peer.gone) continue;
      if (was_stopped) peer.heard_ns = last_look_ns;
      // where others send, or where there is no room, there is a sign of life under way already
      std::string broken;
      if (std::unique_lock sending(peer.sending, std::try_to_lock); sending) {
        try {
          peer.control.send_now(alive);
        } catch (const ConnectionError& error) {
          broken = error.what();
        }
      }
      if (!broken.empty()) lose(process, broken);
      const std::int64_t silent_ns = steady_ns() - peer.heard_ns;
      if (silent_ns > nanoseconds(silence_).count()) {
        lose(process, "no heartbeat for " + to_text(silence_));
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
  } catch (const ConnectionError&) {  // none of ours
  } catch (const ProtocolError&) {
  }
}

}  // namespace paceline
