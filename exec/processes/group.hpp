// SPDX-License-Identifier: MIT
/// \file
/// The processes that run a strategy together, each with its own roles: a control connection
/// between every two, heartbeats, and agreement. Process 0 leads.
///
/// **Threads.** One thread reads each control connection; the loop's thread sends heartbeats and
/// accepts the connections of streams. Frames of a running repeat go to the listener at once, on
/// the thread that read them; other frames are queued for `receive`.
///
/// **Loss.** A process is lost when its connection ends without a goodbye, when it sends nothing
/// for `silence`, or when sending to it fails. A lost process stays lost. Threads that wait for it
/// wake up.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exec/machine/remote_peer.hpp"
#include "exec/processes/clock_offset.hpp"
#include "exec/processes/rendezvous.hpp"

namespace paceline {

/// Receives the frames and streams of a running repeat. Called from the group's threads.
class GroupListener {
 public:
  virtual ~GroupListener() = default;
  /// A message, a cancellation, a death or a stop.
  virtual void on_frame(int from, FrameKind kind, FrameReader frame) = 0;
  virtual void on_lost(int process) = 0;
  /// Another process has opened the connection of a stream.
  virtual void on_stream(int from, Connection connection) = 0;
};

/// The outcome of a phase on a process; the last is the worst.
struct Verdict {
  enum class Kind : std::uint8_t { good, diverged, failed };
  Kind kind = Kind::good;
  std::string text;  ///< the reason; "" if good
};

Verdict read_verdict(FrameReader& from);

class Group {
 public:
  /// Meets the other processes; throws like `meet`.
  Group(Membership membership, const std::string& identity);
  /// Sends a goodbye, unless an exception ends this process: then the others see it as lost.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }
  bool leads() const { return rank_ == 0; }
  /// "process 2 (HOST)"
  std::string name_of(int process) const;
  const std::string& host_of(int process) const { return of(process).host; }
  /// Connects a stream to a process. Throws ConnectionError.
  Connection connect(int process, std::chrono::milliseconds patience) const;

  /// Sends a frame. Does nothing if the process is lost, before or while sending.
  void send(int to, const FrameWriter& frame);
  void send_to_all(const FrameWriter& frame);
  /// Waits for the next frame of the kind from a process. Throws ProcessLost.
  Frame receive(int from, FrameKind kind) { return receive(from, kind, kind); }
  /// The same; if a frame of kind `end` comes first, returns a copy and leaves it in the queue.
  Frame receive(int from, FrameKind kind, FrameKind end);

  /// Replaces the listener; null: no listener. Returns when no call of the old one is running.
  void listen(GroupListener* listener);

  /// A barrier. Returns the worst verdict of all processes (among equals, that of the lowest rank)
  /// and a time shortly after the barrier on the steady clock of process 0. Throws ProcessLost if
  /// process 0 is lost. Process 0 drops frames that were sent before the barrier and not received.
  struct Agreed {
    Verdict verdict;
    std::int64_t start_ns = 0;
    std::string loss;  ///< the first loss before the barrier, on process 0; "" if there was none
  };
  Agreed agree(const Verdict& mine);
  /// The same; the verdict is a failure if a process is absent.
  Agreed agree_with_all(const Verdict& mine);

  /// The number of a run. All processes must call it the same number of times.
  std::uint32_t next_run() { return ++runs_; }

  /// The offset of process 0's steady clock from this process's.
  ClockOffset offset_of_leader();

  bool is_lost(int process) const { return of(process).lost.load(std::memory_order_acquire); }
  /// The first loss: "process 2 (HOST) was lost: no heartbeat for 5 s"; "" if there is none.
  std::string loss() const;
  std::string loss_of(int process) const;
  /// The same, but a process that ended without an error also counts: "process 2 (HOST) has ended".
  std::string absence() const;
  /// Marks the process as lost because a connection to it failed.
  void note_broken(int process, const std::string& why) { lose(process, why); }

 private:
  struct Peer {
    Connection control;
    std::string host;
    Endpoint endpoint;
    std::mutex sending;
    std::atomic<bool> lost{false};
    std::atomic<bool> gone{false};             ///< has sent its goodbye
    std::atomic<std::int64_t> received_ns{0};  ///< time of its last bytes
    std::string why;          ///< reason why it is lost or gone; guarded by `mutex_`
    std::deque<Frame> inbox;  ///< guarded by `mutex_`
    std::thread reader;
  };
  Peer& of(int process) { return *peers_[static_cast<std::size_t>(process)]; }
  const Peer& of(int process) const { return *peers_[static_cast<std::size_t>(process)]; }

  Group(int rank, std::chrono::milliseconds silence, Mesh mesh);
  void send_goodbyes();
  void await_goodbyes();
  std::string absence_of(int process) const;
  Verdict with_absence(const Verdict& verdict) const;
  Agreed agree_as_leader(const Verdict& mine, bool with_all);
  void read(int from);
  void handle(int from, Frame& frame);
  void reply(int from, FrameReader ping);
  void note_echo(FrameReader pong);
  void note_goodbye(int process);
  void lose(int process, const std::string& why);
  static void send_error(Peer& peer, const std::string& why);
  void exchange_heartbeats();
  void accept_stream(Accepted accepted);

  int rank_;
  std::chrono::milliseconds silence_, heartbeat_;
  int exceptions_;  ///< uncaught exceptions at construction
  std::uint32_t runs_ = 0;
  Secret secret_;
  Listener streams_;
  std::vector<std::unique_ptr<Peer>> peers_;  ///< by process; empty for this one
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Echo> echoes_;
  int first_lost_ = -1;
  std::mutex listening_;
  GroupListener* listener_ = nullptr;
  std::atomic<bool> ending_{false};
  std::int64_t last_heartbeat_ns_ = 0;  ///< used by the loop's thread only
};

}  // namespace paceline
