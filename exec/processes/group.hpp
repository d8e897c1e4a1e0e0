// SPDX-License-Identifier: MIT
/// \file
/// The processes that run a strategy together, each its own roles: a control connection between
/// every two, heartbeats, and what they agree on. Process 0 leads.
///
/// **Threads.** One reads each control connection, one tends the heartbeats, one accepts streams'
/// connections. What concerns a repeat under way goes to the listener at once, on the thread that
/// read it; everything else waits until it is asked for.
///
/// **Loss.** A process is lost when its connection ends without a goodbye, when it says nothing for
/// `silence`, or when talking to it fails. It stays lost. Whoever waits for it is told.
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

#include "exec/machine/elsewhere.hpp"
#include "exec/processes/clock_offset.hpp"
#include "exec/processes/rendezvous.hpp"

namespace paceline {

/// Who is told of the others while a repeat runs. Called from the group's threads.
class GroupListener {
 public:
  virtual ~GroupListener() = default;
  /// A message, a cancellation, or a stop.
  virtual void on_frame(int from, FrameKind kind, FrameReader frame) = 0;
  virtual void on_lost(int process) = 0;
  /// Another process has opened the connection of a stream.
  virtual void on_stream(int from, Connection connection) = 0;
};

/// How something ended on a process, the worst last.
struct Verdict {
  enum class Kind : std::uint8_t { good, diverged, failed };
  Kind kind = Kind::good;
  std::string text;  ///< why not
};

Verdict read_verdict(FrameReader& from);

class Group {
 public:
  /// Meets the others; throws as `meet` does.
  Group(Membership membership, const std::string& identity);
  /// Says goodbye; where an exception ends this process, nothing, so that it is lost to the others.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }
  bool leads() const { return rank_ == 0; }
  /// "process 2 (HOST)"
  std::string name_of(int process) const;
  const std::string& host_of(int process) const { return of(process).host; }
  /// Where a process takes connections of streams.
  const Endpoint& endpoint(int process) const { return of(process).endpoint; }

  /// Sends a frame; to a process that is lost, or that this finds to be lost, nothing.
  void send(int to, const FrameWriter& frame);
  void send_to_all(const FrameWriter& frame);
  /// Waits for the next frame of a kind from a process. Throws ProcessLost.
  Frame receive(int from, FrameKind kind) { return receive(from, kind, kind); }
  /// The same, or a copy of the next frame of kind `end`, where that comes first: it stays there.
  Frame receive(int from, FrameKind kind, FrameKind end);

  /// From now on `listener` is told; null: nobody. Returns once no call of the old one is under
  /// way.
  void listen(GroupListener* listener);

  /// Waits until all have come here, and tells all the worst of their verdicts (of equals that of
  /// the lowest process) and a time on process 0's steady clock, a little later than now. Throws
  /// ProcessLost without process 0. What others have sent process 0 before and it has not asked for
  /// is forgotten.
  struct Agreed {
    Verdict verdict;
    std::int64_t start_ns = 0;
  };
  Agreed agree(const Verdict& mine);
  /// The same; the verdict is a failure where one of them is no longer there.
  Agreed agree_with_all(const Verdict& mine);

  /// The number of a run: all processes ask for it in the same order.
  std::uint32_t next_run() { return ++runs_; }

  /// How far process 0's steady clock is from ours.
  ClockOffset offset_of_leader();

  bool is_lost(int process) const { return of(process).lost.load(std::memory_order_acquire); }
  /// "process 2 (HOST) was lost: no heartbeat for 5 s"; "" where none was.
  std::string loss() const;
  std::string loss_of(int process) const;
  /// The same, of one that has ended too: "process 2 (HOST) has ended".
  std::string absence() const;
  /// Talking to a process has failed: why.
  void note_broken(int process, const std::string& why) { lose(process, why); }

 private:
  struct Peer {
    Connection control;
    std::string host;
    Endpoint endpoint;
    std::mutex sending;
    std::atomic<bool> lost{false};
    std::atomic<bool> gone{false};  ///< it said goodbye
    std::atomic<std::int64_t> heard_ns{0};
    std::string why;          ///< it was lost; behind `mutex_`
    std::deque<Frame> inbox;  ///< likewise
    std::thread reader;
  };
  Peer& of(int process) { return *peers_[static_cast<std::size_t>(process)]; }
  const Peer& of(int process) const { return *peers_[static_cast<std::size_t>(process)]; }

  Group(int rank, std::chrono::milliseconds silence, Mesh mesh);
  void say_goodbye();
  void await_goodbyes();
  std::string absence_of(int process) const;
  Verdict with_absence(const Verdict& verdict) const;
  Agreed agree_as_leader(const Verdict& mine, bool with_all);
  void read(int from);
  void take(int from, Frame& frame);
  void answer(int from, FrameReader ping);
  void note_echo(FrameReader pong);
  void note_gone(int process);
  void lose(int process, const std::string& why);
  static void tell_why(Peer& peer, const std::string& why);
  void tend_heartbeats();
  void accept_streams();
  void introduce(Connection caller);

  int rank_;
  std::chrono::milliseconds silence_, heartbeat_;
  int exceptions_;  ///< under way when this was made
  std::uint32_t runs_ = 0;
  Listener streams_;
  std::vector<std::unique_ptr<Peer>> peers_;  ///< by process; one's own is empty
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Echo> echoes_;
  int first_lost_ = -1;
  std::mutex listening_;
  GroupListener* listener_ = nullptr;
  bool ending_ = false;
  std::condition_variable ends_;
  std::thread heartbeats_, accepting_;
};

}  // namespace paceline
